// How often a clientId may fail to prove itself: ten times a minute on this replica, then 429 until the
// minute is over. Memory is bounded: the clientId that failed longest ago is forgotten first. Only failures
// come here, so a right secret is never held up.

export type FailureLimit = {
  /** Counts one more failure; the seconds to wait when there were too many. */
  fail(clientId: string): number | undefined
}

const failuresMax = 10
const windowMs = 60_000

export function createFailureLimit(options: {
  now: () => number
  clientsMax?: number
}): FailureLimit {
  const { now, clientsMax = 10_000 } = options
  const clients = new Map<string, { sinceMs: number; failures: number }>()

  return {
    fail(clientId) {
      const nowMs = now()
      const known = clients.get(clientId)
      const isOver = known === undefined || nowMs - known.sinceMs >= windowMs
      const current = isOver ? { sinceMs: nowMs, failures: 0 } : known
      current.failures += 1
      clients.delete(clientId) // to the end of the line
      clients.set(clientId, current)
      const [oldest] = clients.keys()
      if (clients.size > clientsMax && oldest !== undefined) clients.delete(oldest)
      if (current.failures <= failuresMax) return undefined
      return Math.max(1, Math.ceil((current.sinceMs + windowMs - nowMs) / 1000))
    },
  }
}
