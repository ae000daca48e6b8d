// A service's typical work on a secured broker: storing, committing transactions, following.
import { delay, pollUntil } from '@weir/kit'

import type { Kafka } from '../src/connect/client.ts'
import { createTransactor } from '../src/fence/transactor.ts'
import { createBatchProducer } from '../src/produce/batch-producer.ts'
import { followTopics } from '../src/read/follower.ts'
import type { Follower } from '../src/read/follower.ts'
import { uniqueName } from './support.ts'
import type { Outside } from './support-broker.ts'

export type Session = {
  readonly sinceMs: number
  produce(value: string): Promise<void>
  transact(value: string): Promise<void>
  /** The lines of the session's log. */
  readonly lines: readonly string[]
  /** The records that the follower has seen. */
  readonly seen: readonly string[]
  close(): Promise<void>
}

export async function openSessionOn(
  kafka: Kafka,
  outside: Outside,
  lines: string[],
): Promise<Session> {
  const topic = uniqueName('secured')
  await outside.makeTopic(topic, 1)
  const seen: string[] = []
  const producer = createBatchProducer(kafka, { produceTimeoutMs: 10_000, inFlightBytesMax: 1e6 })
  const transactionalId = uniqueName('secured')
  const transactor = createTransactor(kafka, { transactionalId, timeoutMs: 10_000 })
  const follower = follow(kafka, topic, (value) => void seen.push(value))
  // A new broker has no coordinators at first.
  const fence = () =>
    transactor.fence().then(
      () => true,
      () => false,
    )
  await Promise.all([pollUntil(fence, { deadlineMs: 60_000 }), follower.start()])
  lines.length = 0
  const record = (value: string) => ({ key: 'k', value: Buffer.from(value), headers: {} })
  return {
    sinceMs: performance.now(),
    lines,
    seen,
    async produce(value) {
      await producer.send(topic, 0, { ...record(value), timestampMs: Date.now() })
    },
    async transact(value) {
      const sent = { ...record(value), topic, partition: 0, timestampMs: Date.now() }
      await transactor.transaction((transaction) => transaction.send([sent]))
    },
    async close() {
      await Promise.all([producer.close(), transactor.close(), follower.close()])
    },
  }
}

/** Sends continuously until it is stopped. */
export type Steady = {
  readonly sent: readonly string[]
  readonly failures: readonly unknown[]
  stop(): Promise<void>
}

export function keepBusy({ produce, transact }: Session): Steady {
  const sent: string[] = []
  const failures: unknown[] = []
  let isStopping = false
  const once = async (send: (value: string) => Promise<void>): Promise<void> => {
    const value = `event ${sent.length}`
    await send(value)
    sent.push(value)
  }
  const busy = (async () => {
    while (!isStopping) {
      await once(produce).catch((error: unknown) => failures.push(error))
      await once(transact).catch((error: unknown) => failures.push(error))
      await delay(100)
    }
  })()
  return {
    sent,
    failures,
    async stop() {
      isStopping = true
      await busy
    },
  }
}

export function follow(kafka: Kafka, topic: string, onValue: (value: string) => void): Follower {
  return followTopics(kafka, {
    topics: [topic],
    onRecord: ({ value }) => onValue(value?.toString() ?? ''),
    onReset: () => undefined,
  })
}
