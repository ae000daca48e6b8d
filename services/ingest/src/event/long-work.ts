// Work that takes long shares the event loop: events that are costly to check or to encrypt, and many events in one request. It is
// done in pieces, one piece in a turn of the loop, so between any two pieces everybody else gets an answer. Accounts take
// turns: who sends much, on however many connections, has one piece for each of anybody else's.
import { createFairQueue, createOthers } from '@weir/kit'
import { refusal } from '../errors.ts'

/** Steps of ten nanoseconds: an event that takes less than a millisecond is taken at once. */
const stepsAtOnce = 100_000
const stepsOfAMs = 100_000
/** A piece of many events; one costly event is a piece that may take 20 ms. */
const pieceMs = 5
/** While other accounts are served, costly events have a fifth of the time: the loop is theirs for four times as long as each took. */
const restParts = 4
/** Of one account: they would wait for some seconds. */
const costlyMax = 50

export type LongWork = {
  /** Whether this turn of the loop has had its piece: what comes next waits for `turnOf`. */
  isOver(): boolean
  turnOf(billingId: string): Promise<void>
  /**
   * The same for an event of so many steps; undefined when it may be taken at once.
   * @throws AppError `unavailable` when too many costly ones of the account wait
   */
  turnFor(billingId: string, steps: number): Promise<void> | undefined
}

export function createLongWork(nowMs = () => performance.now()): LongWork {
  const waiting = createFairQueue<() => void>()
  const turnForCostly = createCostlyTurns()
  const others = createOthers(nowMs)
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

  return {
    isOver: () => nowMs() - begin() > pieceMs,
    turnOf: (billingId) =>
      new Promise((resolve) => {
        waiting.push(billingId, resolve)
        begin()
      }),
    turnFor(billingId, steps) {
      if (steps > stepsAtOnce)
        return turnForCostly(billingId, () =>
          others.areBeside(billingId) ? (1 + restParts) * (steps / stepsOfAMs) : 0,
        )
      others.served(billingId)
      return undefined
    },
  }
}

/** `restMs`: asked when it begins, for how long no other one may begin then. */
type CostlyTurn = (billingId: string, restMs: () => number) => Promise<void>

function createCostlyTurns(): CostlyTurn {
  const waiting = createFairQueue<() => number>()
  const counts = new Map<string, number>()
  let isBusy = false
  const next = (): void => {
    const begin = waiting.shift()
    isBusy = begin !== undefined
    const restMs = begin?.() ?? 0
    if (restMs > 0) setTimeout(next, restMs)
    else if (isBusy) setImmediate(next)
  }
  return (billingId, restMs) => {
    const count = counts.get(billingId) ?? 0
    if (count >= costlyMax)
      throw refusal(
        'unavailable',
        `${costlyMax} events of the account that take long to check or to encrypt wait already; try again in a moment`,
      )
    counts.set(billingId, count + 1)
    return new Promise((resolve) => {
      waiting.push(billingId, () => {
        const left = (counts.get(billingId) ?? 1) - 1
        if (left > 0) counts.set(billingId, left)
        else counts.delete(billingId)
        resolve()
        return restMs()
      })
      if (isBusy) return
      isBusy = true
      setImmediate(next)
    })
  }
}
