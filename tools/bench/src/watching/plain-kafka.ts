// The minimal code to write records to a topic and to read them, with @platformatic/kafka as in its manual, and acks of
// all in-sync replicas.
import { randomUUID } from 'node:crypto'
import { Consumer, ProduceAcks, Producer } from '@platformatic/kafka'

export type PlainPlace = { readonly brokers: string[]; readonly topic: string }

/** Records that arrive while a batch is in flight form the next batch. */
export function openProducer({ brokers, topic }: PlainPlace) {
  const producer = new Producer<Buffer, Buffer, Buffer, Buffer>({
    clientId: 'echo',
    bootstrapBrokers: brokers,
    acks: ProduceAcks.ALL,
  })
  let waiting: { topic: string; value: Buffer }[] = []
  let isSending = false
  async function sendAll(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      const messages = waiting
      waiting = []
      await producer.send({ messages, acks: ProduceAcks.ALL })
    }
    isSending = false
  }
  return {
    put(value: Buffer): void {
      waiting.push({ topic, value })
      if (!isSending) void sendAll()
    },
  }
}

/** Resolves once the reader is at the end of the topic. */
export const readPlainValues = (
  place: PlainPlace,
  onValue: (value: Buffer) => void,
): Promise<void> => readPlainRecords(place, ({ value }) => onValue(value))

export type PlainRecord = {
  readonly partition: number
  readonly offset: bigint
  readonly value: Buffer
}

/** Like `readPlainValues`, with each record's partition and offset. Reads only committed records. */
export async function readPlainRecords(
  { brokers, topic }: PlainPlace,
  onRecord: (record: PlainRecord) => void,
): Promise<void> {
  const consumer = new Consumer<Buffer, Buffer, Buffer, Buffer>({
    clientId: 'echo',
    groupId: randomUUID(),
    bootstrapBrokers: brokers,
    minBytes: 1,
    maxWaitTime: 500,
  })
  const stream = await consumer.consume({ topics: [topic], mode: 'latest', autocommit: false })
  stream.on('data', ({ partition, offset, value }) => onRecord({ partition, offset, value }))
}
