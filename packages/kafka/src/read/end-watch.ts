// Waiting until everything is read that was committed when somebody asked. However many ask at once, the
// brokers are asked once; who asks while an answer is under way waits for the next one, since that answer
// may be older than what he has to see.
import { hasCode, withTimeout } from '@weir/kit'

import { unavailable } from '../connect/faults.ts'

export type Ends = {
  readonly offsets: ReadonlyMap<string, bigint>
  /** Not later than the broker was asked, by the clock on the wall. */
  readonly askedMs: number
}

export type EndWatchOptions = {
  /** The read_committed end of each topic, now. */
  askEnds(): Promise<Ends>
  positionOf(topic: string): bigint | undefined
}

export type EndWatch = {
  /** Resolves with when the ends that are reached were asked; KafkaError `kafka.unavailable` after `timeoutMs`. */
  reach(topics: readonly string[], timeoutMs: number): Promise<number>
  /** To be called whenever a position has changed. */
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
        throw hasCode(error, 'kafka.unavailable') ? error : unavailable(WHAT, error)
      } finally {
        givingUp.abort()
      }
    },
    advanced() {
      for (const look of waiting) look()
    },
  }
}

/** One question at a time; its answer serves only those who asked before it was put. */
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
