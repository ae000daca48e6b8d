// What a connection may ask for besides requests: control frames, resets, empty frames. Each costs a
// little, an allowance covers what real clients do, and who overdraws it is told to calm down
// (CVE-2019-9511 to 9518, CVE-2023-44487, CVE-2024-27316). Time refills it, and so does every request
// that is answered: a busy client sends more of everything.
import { ConnectionError, errorCode } from '../frames/frames.ts'

const most = 1_000
const perMs = 0.2
const perAnswer = 1

/** What things cost: a share of the 1,000 that a connection starts with. */
export const cost = {
  settings: 5,
  ping: 1,
  priority: 1,
  /** An acknowledgement of nothing, a frame for a stream that is gone, or of a type that is unknown. */
  idleFrame: 1,
  windowUpdate: 0.05,
  /** A few bytes for a stream: an answer taken piece by piece. */
  smallWindowUpdate: 0.5,
  emptyData: 1,
  smallData: 0.1,
  continuation: 1,
  emptyContinuation: 20,
  /** Work begun for nothing. */
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
