// One life of a consumer after another until told to stop, with pauses that grow while they fail. What a
// failure means is the owner's to say, in `prepare`.
import { backoff, delay, describeError } from '@weir/kit'

import type { ConsumerLife, LifeEnd } from './consumer-life.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'

export type KeepAliveOptions = {
  /** For the log. */
  readonly topics: readonly string[]
  /** Before each life: makes the positions good. False ends it all; an error means «later». */
  prepare(lastEnd: LifeEnd | undefined): Promise<boolean>
  start(): ConsumerLife
}

export type Keeper = {
  /** Ends the present life; another one follows. */
  renew(): void
  close(): Promise<void>
}

const PAUSE = { minMs: 20, maxMs: 2_000 }
const LIFE_TO_CALL_GOOD_MS = 10_000

export function keepAlive(kafka: Kafka, options: KeepAliveOptions): Keeper {
  const { log } = internalsOf(kafka)
  const stopping = new AbortController()
  let life: ConsumerLife | undefined

  async function liveOnce(lastEnd: LifeEnd | undefined): Promise<LifeEnd | undefined> {
    if (!(await options.prepare(lastEnd))) {
      stopping.abort()
      return lastEnd
    }
    if (stopping.signal.aborted) return lastEnd
    life = options.start()
    return life.ended
  }

  async function keep(): Promise<void> {
    let pauses = backoff(PAUSE)
    let lastEnd: LifeEnd | undefined
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      try {
        lastEnd = await liveOnce(lastEnd)
      } catch (error) {
        log.debug({ topics: options.topics, err: describeError(error) }, 'not reading yet')
      }
      if (performance.now() - startedAt > LIFE_TO_CALL_GOOD_MS) pauses = backoff(PAUSE)
      await delay(pauses.next().value, stopping.signal).catch(() => undefined)
    }
  }

  const kept = keep()
  return {
    renew() {
      void life?.close()
    },
    async close() {
      stopping.abort()
      await life?.close()
      await kept
    },
  }
}
