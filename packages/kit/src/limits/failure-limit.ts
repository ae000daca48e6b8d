// Limits failed authentications by name: ten per minute on this replica, then 429 until the minute is over. Memory is
// bounded: above a limit, the oldest name is dropped. Only failures count, so a correct secret is never delayed.

export type FailureLimit = {
  /** Counts one more failure. Returns the seconds to wait if there were too many. */
  fail(name: string): number | undefined
}

const failuresMax = 10
const windowMs = 60_000

export function createFailureLimit(options: {
  now: () => number
  namesMax?: number
}): FailureLimit {
  const { now, namesMax = 10_000 } = options
  const names = new Map<string, { sinceMs: number; failures: number }>()

  return {
    fail(name) {
      const nowMs = now()
      const known = names.get(name)
      const isOver = known === undefined || nowMs - known.sinceMs >= windowMs
      const current = isOver ? { sinceMs: nowMs, failures: 0 } : known
      current.failures += 1
      names.delete(name) // moves the name to the end
      names.set(name, current)
      const [oldest] = names.keys()
      if (names.size > namesMax && oldest !== undefined) names.delete(oldest)
      if (current.failures <= failuresMax) return undefined
      return Math.max(1, Math.ceil((current.sinceMs + windowMs - nowMs) / 1000))
    },
  }
}
