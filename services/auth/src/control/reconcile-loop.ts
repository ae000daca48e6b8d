// Runs reconcilers, each in a loop of its own: one pass at a time, again soon after a failure, until the process ends.
// Which there are: state-reconcilers.ts and the controllers of usage and audit.
import { delay } from '@weir/kit'
import type { Log } from '@weir/kit'

export type Reconciler = {
  readonly name: string
  /** One pass; how long to wait for the next. */
  run(): Promise<number>
}

export type ReconcileLoops = {
  /** Starts a loop's next pass without waiting for its time. */
  trigger(name: string): void
  /** No pass begins any more; one that is running gets a second to end. */
  close(): Promise<void>
}

const retryMs = 5_000
// What a pass leaves half-done, the next one finishes, of whatever replica.
const closeMs = 1_000

export function startReconcileLoops(reconcilers: readonly Reconciler[], log: Log): ReconcileLoops {
  const stopping = new AbortController()
  const waits = new Map<string, AbortController>()
  const triggered = new Set<string>()

  const pause = async (name: string, ms: number): Promise<void> => {
    if (triggered.has(name)) return
    const wait = new AbortController()
    waits.set(name, wait)
    await delay(ms, AbortSignal.any([wait.signal, stopping.signal])).catch(() => undefined)
    waits.delete(name)
  }

  const keepRunning = async ({ name, run }: Reconciler): Promise<void> => {
    while (!stopping.signal.aborted) {
      triggered.delete(name)
      let nextMs = retryMs
      try {
        nextMs = await run()
      } catch (error) {
        log.warn({ err: error, loop: name }, 'a reconcile loop failed; trying again')
      }
      await pause(name, nextMs)
    }
  }

  const running = reconcilers.map(keepRunning)
  return {
    trigger(name) {
      triggered.add(name)
      waits.get(name)?.abort()
    },
    async close() {
      stopping.abort()
      await Promise.race([Promise.all(running), delay(closeMs)])
    },
  }
}
