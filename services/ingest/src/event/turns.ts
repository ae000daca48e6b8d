// Whose validations may take long waits until nothing else of that kind is done in a turn of the event loop: between
// any two of them everybody else gets an answer, whether they come one by one, in one request or on one connection.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Steps of ten nanoseconds: what takes less than a millisecond is done at once. */
const atOnceMax = 100_000

export type TurnFor = (steps: number) => Promise<void> | undefined

export function createTurns(): TurnFor {
  let last: Promise<unknown> = Promise.resolve()
  return (steps) => {
    if (steps <= atOnceMax) return undefined
    const turn = last.then(() => nextTurn())
    last = turn
    return turn
  }
}
