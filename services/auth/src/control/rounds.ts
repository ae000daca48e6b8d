// Work that comes round: clean-up, eras ahead, signing keys. Each kind runs one round at a time, tries
// again soon after a failure, and ends with the process.
import { delay } from '@weir/kit'
import type { Log } from '@weir/kit'

export type Round = {
  readonly name: string
  /** One round; how long to wait for the next. */
  run(): Promise<number>
}

export type Rounds = {
  /** Starts a round's next turn without waiting for its time. */
  hurry(name: string): void
  /** No round begins any more; one that is running gets a second to end. */
  close(): Promise<void>
}

const retryMs = 5_000
// What a round leaves half-done, the next one finishes, of whatever replica.
const closeMs = 1_000

export function startRounds(rounds: readonly Round[], log: Log): Rounds {
  const stopping = new AbortController()
  const waits = new Map<string, AbortController>()
  const hurried = new Set<string>()

  const pause = async (name: string, ms: number): Promise<void> => {
    if (hurried.has(name)) return
    const wait = new AbortController()
    waits.set(name, wait)
    await delay(ms, AbortSignal.any([wait.signal, stopping.signal])).catch(() => undefined)
    waits.delete(name)
  }

  const keepRunning = async ({ name, run }: Round): Promise<void> => {
    while (!stopping.signal.aborted) {
      hurried.delete(name)
      let nextMs = retryMs
      try {
        nextMs = await run()
      } catch (error) {
        log.warn({ err: error, round: name }, 'a reconcile loop failed; trying again')
      }
      await pause(name, nextMs)
    }
  }

  const running = rounds.map(keepRunning)
  return {
    hurry(name) {
      hurried.add(name)
      waits.get(name)?.abort()
    },
    async close() {
      stopping.abort()
      await Promise.race([Promise.all(running), delay(closeMs)])
    },
  }
}
