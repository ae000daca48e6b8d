// Gives turns of a few milliseconds to partitions with work. The next turn goes to the account that has recently used
// the least processor time, and to its partition that has used the least. So a busy account can use the rest of the
// processor, on any number of partitions, without delaying a quiet account. A single record can take longer than a
// turn. Its account then gets no turn for a while if other accounts have had turns recently, so that they rarely wait
// for slow records.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createShares } from './shares.ts'

export type Worker = {
  readonly account: string
  /** Does a part of the work. Returns false if no work is left. */
  step(): boolean
}

export type FlowTurns = {
  /** Call when the worker has work. */
  ready(worker: Worker): void
  /** Call when the worker has no more work. */
  forget(worker: Worker): void
  /** Returns whether this turn has taken long enough. If so, the step leaves the rest to another turn. */
  isOver(): boolean
}

const TURN_MS = 3
const OVER_MS = 5
const AFTER_FAILURE_MS = 1_000

/** `failed` is called with errors of a worker. That worker gets its next turn after a second. */
export function createFlowTurns(failed: (error: unknown) => void): FlowTurns {
  const waiting = new Set<Worker>()
  const shares = createShares<Worker>()
  let isRunning = false
  let startedMs = 0
  let rested: NodeJS.Timeout | undefined

  function takeTurn(worker: Worker): void {
    // Deleted first, because the worker may become ready again during its turn.
    waiting.delete(worker)
    try {
      if (isMoreAfter(worker, startedMs)) waiting.add(worker)
    } catch (error) {
      failed(error)
      setTimeout(() => ready(worker), AFTER_FAILURE_MS).unref()
    }
    shares.charge(worker, startedMs)
  }

  /** Runs several short turns in one turn of the event loop, so that their records are sent together. */
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

/** Runs a turn. Returns whether work is left. */
function isMoreAfter(worker: Worker, startedMs: number): boolean {
  while (worker.step()) if (performance.now() - startedMs >= TURN_MS) return true
  return false
}
