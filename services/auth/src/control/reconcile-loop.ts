// Runs each reconciler in its own loop, one pass at a time, until the process ends. After a failure the next pass
// follows soon. controller.ts lists the reconcilers.
import { delay } from '@weir/kit'
import type { Log } from '@weir/kit'

export type Reconciler = {
  readonly name: string
  /** Runs one pass. Returns the wait before the next, in ms. */
  run(): Promise<number>
}

export type ReconcileLoops = {
  /** Starts a loop's next pass immediately, or after the running one. */
  trigger(name: string): void
  /** No further pass starts; a running one gets a second to end. */
  close(): Promise<void>
}

const retryMs = 5_000
// If a pass takes longer, the next pass of any replica finishes its work.
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
