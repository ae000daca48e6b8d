// Wakes a loop that waits for work.
export type Bell = {
  ring(): void
  /** Resolves at the next call of `ring`, or after `ms` milliseconds. A call since the last wait counts, too. */
  wait(ms?: number): Promise<void>
}

export function createBell(): Bell {
  let hasRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      hasRung = true
      wake?.()
    },
    async wait(ms) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      if (hasRung) resolve()
      await promise
      clearTimeout(timer)
      hasRung = false
      wake = undefined
    },
  }
}
