// Shares the event loop between accounts for long work: events that are costly to check or encrypt, and requests of
// many events. Long work is done in pieces, one per turn of the loop, so other requests are served in between. Accounts
// take turns, however much they send.
import { createFairQueue, createOthers, oncePerTurn } from '@weir/kit'
import { refusal } from '../errors.ts'

/** An event of at most this number of steps (10 ns each, together 1 ms) is processed immediately. */
const stepsAtOnce = 100_000
const stepsOfAMs = 100_000
/** The duration of a piece of many events. A costly event is a piece of its own, of up to 20 ms. */
const pieceMs = 5
/**
 * While other accounts are served, costly events get a fifth of the time: after each one, the loop is free for four
 * times its duration.
 */
const restParts = 4
/** The maximum number of waiting costly events per account. More would wait for several seconds. */
const costlyMax = 50

export type LongWork = {
  /** Returns whether this turn of the loop has used up its time. If so, further work must wait for `turnOf`. */
  isOver(): boolean
  turnOf(billingId: string): Promise<void>
  /**
   * Like `turnOf`, for an event that costs `steps`. Returns undefined if the event may be processed immediately.
   * @throws AppError `unavailable` if too many costly events of the account wait
   */
  turnFor(billingId: string, steps: number): Promise<void> | undefined
}

export function createLongWork(nowMs = () => performance.now()): LongWork {
  const waiting = createFairQueue<() => void>()
  const turnForCostly = createCostlyTurns()
  const others = createOthers(oncePerTurn(nowMs))
  /** The start of the piece in the current turn of the loop. */
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

/** `restMs` is called at the start of the turn. No other costly turn starts within the time that `restMs` returns. */
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
