// Waits for the next record of a topic. A fence's markers don't count.
import { createKafka, tailTopic } from '@weir/kafka'
import type { Admin, Kafka } from '@weir/kafka'
import { createLog, withTimeout } from '@weir/kit'
import { kafkaBrokers } from '@weir/testkit'

const DEADLINE_MS = 30_000

export const connectBench = (): Kafka =>
  createKafka({
    brokers: kafkaBrokers(),
    clientId: 'bench',
    log: createLog('bench', 'silent'),
  })

export type Arrival = {
  /** Resolves when a record was read that was written after the call of `nextRecordIn`. */
  readonly came: Promise<void>
  close(): void
}

export async function nextRecordIn(
  { kafka, admin }: { kafka: Kafka; admin: Admin },
  topic: string,
): Promise<Arrival> {
  const fromOffsets = await admin.offsets.ends(topic, { isolation: 'read_committed' })
  const { promise, resolve } = Promise.withResolvers<void>()
  const tail = tailTopic(kafka, {
    topic,
    fromOffsets,
    onRecords: (_partition, records) => {
      if (records.length > 0) resolve()
    },
    onPosition: () => {},
    onStopped: () => {},
  })
  return { came: withTimeout(promise, DEADLINE_MS, `a record in ${topic}`), close: tail.close }
}
