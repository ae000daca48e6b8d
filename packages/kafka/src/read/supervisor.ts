// Starts a consumer anew whenever it has ended, until told to stop, with pauses that grow while they fail. What a
// failure means is the owner's to say, in `prepare`.
import { backoff, delay, describeError } from '@weir/kit'

import type { RunningConsumer, ConsumerEnd } from './start-consumer.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'

export type SupervisorOptions = {
  /** For the log. */
  readonly topics: readonly string[]
  /** Before each start: makes the positions good. False ends it all; an error means «later». */
  prepare(lastEnd: ConsumerEnd | undefined): Promise<boolean>
  start(): RunningConsumer
}

export type Supervisor = {
  /** Ends the present consumer; another one follows. */
  renew(): void
  close(): Promise<void>
}

const PAUSE = { minMs: 20, maxMs: 2_000 }
const GOOD_AFTER_MS = 10_000

export function supervise(kafka: Kafka, options: SupervisorOptions): Supervisor {
  const { log } = internalsOf(kafka)
  const stopping = new AbortController()
  let consumer: RunningConsumer | undefined

  async function runOnce(lastEnd: ConsumerEnd | undefined): Promise<ConsumerEnd | undefined> {
    if (!(await options.prepare(lastEnd))) {
      stopping.abort()
      return lastEnd
    }
    if (stopping.signal.aborted) return lastEnd
    consumer = options.start()
    return consumer.ended
  }

  async function run(): Promise<void> {
    let pauses = backoff(PAUSE)
    let lastEnd: ConsumerEnd | undefined
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      try {
        lastEnd = await runOnce(lastEnd)
      } catch (error) {
        log.debug({ topics: options.topics, err: describeError(error) }, 'not reading yet')
      }
      if (performance.now() - startedAt > GOOD_AFTER_MS) pauses = backoff(PAUSE)
      await delay(pauses.next().value, stopping.signal).catch(() => undefined)
    }
  }

  const running = run()
  return {
    renew() {
      void consumer?.close()
    },
    async close() {
      stopping.abort()
      await consumer?.close()
      await running
    },
  }
}
