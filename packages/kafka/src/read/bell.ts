// Wakes a loop that waits for work.
export type Bell = {
  ring(): void
  /** Resolves on the signal, or after `ms` milliseconds; immediately if the signal came since the last wait. */
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
