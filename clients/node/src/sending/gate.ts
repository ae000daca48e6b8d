// Decides whether a request may be sent now. After a failed request, nothing is sent for a pause, which grows with each
// failure. Then one request at a time is sent until one succeeds, so that a service with problems is not flooded.
import { pauseMs } from '../retries.ts'

export type Gate = {
  /** Returns how many requests may be under way. */
  open(): number
  succeeded(): void
  /** Closes the gate after a failed request. Returns for how many milliseconds. */
  failed(retryAfterMs: number | undefined): number
  /** Closes the gate because events are sent too fast. Counts no failure. Returns for how many milliseconds. */
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
      // Of several concurrent failures only the first one counts.
      if (opensAtMs === 0) failures += 1
      return closeFor(pauseMs(failures, retryAfterMs, random))
    },
    slowDown: (retryAfterMs) => closeFor(pauseMs(1, retryAfterMs, random)),
    close: () => clearTimeout(timer),
  }
}
