// Limits what a connection may send besides requests: control frames, resets, empty frames. Each has a cost. The
// allowance covers what real clients do. A connection that exceeds it ends with ENHANCE_YOUR_CALM (CVE-2019-9511 to
// 9518, CVE-2023-44487, CVE-2024-27316). Time refills the allowance. So does every answered request, because a busy
// client sends more of everything.
import { ConnectionError, errorCode } from '../frames/frames.ts'

const most = 1_000
const perMs = 0.2
const perAnswer = 1

/** The costs in units. A connection starts with 1,000 units. */
export const cost = {
  settings: 5,
  ping: 1,
  priority: 1,
  /** A GOAWAY, an unexpected acknowledgement, or a frame for a closed stream or of an unknown type. */
  idleFrame: 1,
  windowUpdate: 0.05,
  /** A window update of a few bytes, from a client that takes a response piece by piece. */
  smallWindowUpdate: 0.5,
  emptyData: 1,
  smallData: 0.1,
  continuation: 1,
  emptyContinuation: 20,
  /** The stream's work was useless. */
  reset: 3,
  streamError: 5,
  refusedStream: 2,
  /** A header list beyond the limit may take as long as hundreds of usual ones. */
  largeHeaders: 50,
} as const

export type CalmAllowance = {
  /** @throws ConnectionError */
  spend(units: number): void
  /** Call when a request was answered. */
  earn(): void
  refill(elapsedMs: number): void
}

export function createCalmAllowance(): CalmAllowance {
  let left = most
  const add = (units: number): void => {
    left = Math.min(most, left + units)
  }
  return {
    spend(units) {
      left -= units
      if (left < 0)
        throw new ConnectionError(errorCode.enhanceYourCalm, 'too many frames besides requests')
    },
    earn: () => add(perAnswer),
    refill: (elapsedMs) => add(elapsedMs * perMs),
  }
}
