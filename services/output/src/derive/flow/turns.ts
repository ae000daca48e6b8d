// Whose turn it is: partitions that have something to do take it one after the other, for some milliseconds each, those that
// have had least of the processor lately first. So a busy stream can fill what is left of it, and holds up no quiet one.
import { setImmediate as nextTurn } from 'node:timers/promises'

export type Worker = {
  /** Does a little of what is to be done; false when nothing is left. */
  step(): boolean
}

export type Turns = {
  /** It has something to do. */
  ready(worker: Worker): void
  /** It has nothing any more. */
  forget(worker: Worker): void
}

/** What was used counts for half after so long. */
const HALF_LIFE_MS = 1_000
const TURN_MS = 3
const AFTER_FAILURE_MS = 1_000

/** `failed`: told what a worker has thrown, which has its next turn after a second. */
export function createTurns(failed: (error: unknown) => void): Turns {
  const waiting = new Set<Worker>()
  const shares = createShares()
  let isRunning = false

  function stepOf(worker: Worker): boolean {
    try {
      return worker.step()
    } catch (error) {
      failed(error)
      setTimeout(() => ready(worker), AFTER_FAILURE_MS).unref()
      return false
    }
  }

  function takeTurn(worker: Worker, startedMs: number): void {
    // First, as it may become ready again in its own turn.
    waiting.delete(worker)
    let isMore = true
    while (isMore && performance.now() - startedMs < TURN_MS) isMore = stepOf(worker)
    if (isMore) waiting.add(worker)
    shares.charge(worker, startedMs)
  }

  /** Short turns share one of the event loop: what they write then leaves together. */
  async function run(): Promise<void> {
    for (let sinceMs = performance.now(); ;) {
      const startedMs = performance.now()
      const worker = shares.quietest(waiting, startedMs)
      if (worker === undefined) break
      takeTurn(worker, startedMs)
      if (performance.now() - sinceMs < TURN_MS) continue
      await nextTurn()
      sinceMs = performance.now()
    }
    isRunning = false
  }

  function ready(worker: Worker): void {
    waiting.add(worker)
    if (isRunning) return
    isRunning = true
    setImmediate(() => void run())
  }

  return { ready, forget: (worker) => void waiting.delete(worker) }
}

type Share = { usedMs: number; atMs: number }

/** What each worker has had of the processor lately. */
function createShares() {
  const shares = new WeakMap<Worker, Share>()
  const usedBy = (worker: Worker, nowMs: number): number => {
    const { usedMs, atMs } = shares.get(worker) ?? { usedMs: 0, atMs: nowMs }
    return usedMs * 2 ** ((atMs - nowMs) / HALF_LIFE_MS)
  }
  return {
    charge(worker: Worker, sinceMs: number): void {
      const nowMs = performance.now()
      shares.set(worker, { usedMs: usedBy(worker, nowMs) + nowMs - sinceMs, atMs: nowMs })
    },
    quietest(workers: Iterable<Worker>, nowMs: number): Worker | undefined {
      let found: Worker | undefined
      let least = Infinity
      for (const worker of workers) {
        const usedMs = usedBy(worker, nowMs)
        if (usedMs >= least) continue
        least = usedMs
        found = worker
      }
      return found
    },
  }
}
