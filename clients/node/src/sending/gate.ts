// Whether a request may leave now. After a request that failed nothing leaves for a while, longer each time in a row, and
// then one alone, until one succeeds: a service in trouble is asked, not flooded.
import { pauseMs } from '../retries.ts'

export type Gate = {
  /** How many requests may be under way. */
  open(): number
  succeeded(): void
  /** Closes it; returns for how long. */
  failed(retryAfterMs: number | undefined): number
  /** Closes it, though all is well: too fast. */
  slowDown(retryAfterMs: number | undefined): number
  close(): void
}

export type GateOptions = {
  readonly requestsMax: number
  readonly nowMs: () => number
  readonly random: () => number
  readonly onOpen: () => void
}

export function createGate({ requestsMax, nowMs, random, onOpen }: GateOptions): Gate {
  let failures = 0
  let opensAtMs = 0
  let timer: NodeJS.Timeout | undefined

  function closeFor(ms: number): number {
    const until = Math.max(opensAtMs, nowMs() + ms)
    opensAtMs = until
    clearTimeout(timer)
    timer = setTimeout(() => {
      opensAtMs = 0
      onOpen()
    }, until - nowMs())
    return ms
  }

  return {
    open() {
      if (opensAtMs > 0) return 0
      return failures > 0 ? 1 : requestsMax
    },
    succeeded: () => void (failures = 0),
    failed(retryAfterMs) {
      // Of several that failed at once the first one counts.
      if (opensAtMs === 0) failures += 1
      return closeFor(pauseMs(failures, retryAfterMs, random))
    },
    slowDown: (retryAfterMs) => closeFor(pauseMs(1, retryAfterMs, random)),
    close: () => clearTimeout(timer),
  }
}
