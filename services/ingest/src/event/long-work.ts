// Work that takes long shares the event loop: events whose validations are costly, and many events in one request. It is
// done in pieces, one piece in a turn of the loop, so between any two pieces everybody else gets an answer. Accounts take
// turns: who sends much, on however many connections, has one piece for each of anybody else's.
import { createFairQueue } from '@weir/kit'

/** Steps of ten nanoseconds: an event that takes less than a millisecond is taken at once. */
const stepsAtOnce = 100_000
/** A piece of many events; one costly event is a piece that may take 20 ms. */
const pieceMs = 5

export type LongWork = {
  /** Whether this turn of the loop has had its piece: what comes next waits for `turnOf`. */
  isOver(): boolean
  turnOf(billingId: string): Promise<void>
  /** The same for an event of so many steps; undefined when it may be taken at once. */
  turnFor(billingId: string, steps: number): Promise<void> | undefined
}

export function createLongWork(nowMs = () => performance.now()): LongWork {
  const waiting = createFairQueue<() => void>()
  /** Since when a piece has been worked at in this turn of the loop. */
  let sinceMs: number | undefined

  const begin = (): number => {
    if (sinceMs !== undefined) return sinceMs
    setImmediate(next)
    return (sinceMs = nowMs())
  }
  const next = (): void => {
    sinceMs = undefined
    const first = waiting.shift()
    if (first === undefined) return
    begin()
    first()
  }
  const turnOf = (billingId: string): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(billingId, resolve)
      begin()
    })

  return {
    isOver: () => nowMs() - begin() > pieceMs,
    turnOf,
    turnFor: (billingId, steps) => (steps <= stepsAtOnce ? undefined : turnOf(billingId)),
  }
}
