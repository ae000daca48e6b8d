// Bounds what a connection may send besides requests: control frames, resets, empty frames. Each has a cost, the
// allowance covers what real clients do, and a connection that exceeds it ends with ENHANCE_YOUR_CALM (CVE-2019-9511 to
// 9518, CVE-2023-44487, CVE-2024-27316). Time refills it, and so does every answered request, because a busy client
// sends more of everything.
import { ConnectionError, errorCode } from '../frames/frames.ts'

const most = 1_000
const perMs = 0.2
const perAnswer = 1

/** The costs, of the 1,000 units that a connection starts with. */
export const cost = {
  settings: 5,
  ping: 1,
  priority: 1,
  /** An unexpected acknowledgement, a frame for a closed stream, or one of an unknown type. */
  idleFrame: 1,
  windowUpdate: 0.05,
  /** A few bytes for a stream: a client that takes an answer piece by piece. */
  smallWindowUpdate: 0.5,
  emptyData: 1,
  smallData: 0.1,
  continuation: 1,
  emptyContinuation: 20,
  /** Work that was begun for nothing. */
  reset: 3,
  streamError: 5,
  refusedStream: 2,
  /** Each may take as long as hundreds of others. */
  largeHeaders: 50,
} as const

export type CalmAllowance = {
  /** @throws ConnectionError */
  spend(units: number): void
  /** A request was answered. */
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
