// Whose turn it is: partitions that have something to do take it one after the other, for some milliseconds each, those of the
// account first that has had least of the processor lately, and of its partitions those that have had least. So whoever is busy, on
// however many partitions, can fill what is left of it, and holds up no quiet one. One record can take longer than a turn: after
// that its account rests, while others have something to do, so that they mostly find the processor free.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createShares } from './shares.ts'

export type Worker = {
  /** Whose work it does. */
  readonly account: string
  /** Does a little of what is to be done; false when nothing is left. */
  step(): boolean
}

export type Turns = {
  /** It has something to do. */
  ready(worker: Worker): void
  /** It has nothing any more. */
  forget(worker: Worker): void
  /** Whether this turn has been long enough: what else its step would do is left for another one. */
  isOver(): boolean
}

const TURN_MS = 3
const OVER_MS = 5
const AFTER_FAILURE_MS = 1_000

/** `failed`: told what a worker has thrown, which has its next turn after a second. */
export function createTurns(failed: (error: unknown) => void): Turns {
  const waiting = new Set<Worker>()
  const shares = createShares<Worker>()
  let isRunning = false
  let startedMs = 0
  let rested: NodeJS.Timeout | undefined

  function takeTurn(worker: Worker): void {
    // First, as it may become ready again in its own turn.
    waiting.delete(worker)
    try {
      if (isMoreAfter(worker, startedMs)) waiting.add(worker)
    } catch (error) {
      failed(error)
      setTimeout(() => ready(worker), AFTER_FAILURE_MS).unref()
    }
    shares.charge(worker, startedMs)
  }

  /** Short turns share one of the event loop: what they write then leaves together. */
  async function run(): Promise<void> {
    for (let sinceMs = performance.now(); ;) {
      startedMs = performance.now()
      const worker = shares.quietest(waiting, startedMs)
      if (worker === undefined) break
      takeTurn(worker)
      if (performance.now() - sinceMs < TURN_MS) continue
      await nextTurn()
      sinceMs = performance.now()
    }
    isRunning = false
    if (waiting.size > 0) rested = setTimeout(ready, shares.restMs(performance.now()))
  }

  function ready(worker?: Worker): void {
    if (worker !== undefined) waiting.add(worker)
    if (isRunning) return
    clearTimeout(rested)
    isRunning = true
    setImmediate(() => void run())
  }

  const forget = (worker: Worker): void => void waiting.delete(worker)
  return { ready, forget, isOver: () => performance.now() - startedMs > OVER_MS }
}

/** Its turn. */
function isMoreAfter(worker: Worker, startedMs: number): boolean {
  while (worker.step()) if (performance.now() - startedMs >= TURN_MS) return true
  return false
}
