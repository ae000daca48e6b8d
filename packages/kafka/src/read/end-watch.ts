// Waits until everything that was committed at the time of the call is read. Concurrent callers share one request for
// the ends. A caller that arrives during a request waits for the next one, because the pending response may be too old.
import { hasCode, withTimeout } from '@weir/kit'

import { brokerUnavailable } from '../connect/faults.ts'

export type Ends = {
  readonly offsets: ReadonlyMap<string, bigint>
  /** Wall-clock time, not later than the request to the broker. */
  readonly askedMs: number
}

export type EndWatchOptions = {
  /** Returns the current read_committed end of each topic. */
  askEnds(): Promise<Ends>
  positionOf(topic: string): bigint | undefined
}

export type EndWatch = {
  /** Resolves with the time of the request for the ends. Throws KafkaError `kafka.unavailable` after `timeoutMs`. */
  reach(topics: readonly string[], timeoutMs: number): Promise<number>
  /** Call after each change of a position. */
  advanced(): void
}

const WHAT = 'show what was committed'

export function createEndWatch({ askEnds, positionOf }: EndWatchOptions): EndWatch {
  const waiting = new Set<() => void>()
  const askShared = shareFresh(askEnds)

  async function wait(topics: readonly string[], signal: AbortSignal): Promise<number> {
    const { offsets, askedMs } = await askShared()
    const isReached = () =>
      topics.every((topic) => (positionOf(topic) ?? -1n) >= (offsets.get(topic) ?? 0n))
    if (isReached() || signal.aborted) return askedMs
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => {
      if (isReached() || signal.aborted) resolve()
    }
    signal.addEventListener('abort', look, { once: true })
    waiting.add(look)
    await promise
    waiting.delete(look)
    return askedMs
  }

  return {
    async reach(topics, timeoutMs) {
      const givingUp = new AbortController()
      try {
        return await withTimeout(wait(topics, givingUp.signal), timeoutMs, WHAT)
      } catch (error) {
        throw hasCode(error, 'kafka.unavailable') ? error : brokerUnavailable(WHAT, error)
      } finally {
        givingUp.abort()
      }
    },
    advanced() {
      for (const look of waiting) look()
    },
  }
}

/** Runs `ask` once at a time. Callers share an `ask` only if it starts after their calls. */
function shareFresh<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined
  let askingNext: Promise<T> | undefined

  function askNow(): Promise<T> {
    const answer = ask().finally(() => {
      asking = undefined
    })
    asking = answer
    return answer
  }

  return () => {
    if (!asking) return askNow()
    askingNext ??= asking
      .catch(() => undefined)
      .then(() => {
        askingNext = undefined
        return asking ?? askNow()
      })
    return askingNext
  }
}
