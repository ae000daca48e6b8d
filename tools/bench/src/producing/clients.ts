// The three producers that part `producers` compares, with one interface. They store records on all in-sync replicas,
// without idempotence or retries, as ingest does.
import { Producer, ProduceAcks, stringSerializer } from '@platformatic/kafka'
import { createBatchProducer, createKafka } from '@weir/kafka'
import { createLog } from '@weir/kit'
import { Kafka, logLevel } from 'kafkajs'

/** A record in the form that ingest uses. A producer uses records directly, or renames their fields. */
export type BenchRecord = {
  readonly key: string
  readonly value: Buffer
  readonly headers: Record<string, string>
  readonly timestampMs: number
}
export type ProducingClient = {
  /** Resolves once all records are stored. */
  store(partition: number, records: readonly BenchRecord[]): Promise<void>
  /** The number of sent batches, if the producer itself forms them. */
  batches?(): number
  close(): Promise<void>
}
type Place = { readonly brokers: string[]; readonly topic: string }

const timeoutMs = 10_000
const inFlightBytesMax = 64 * 2 ** 20

export const clients = {
  /** Gets single records, as from ingest, and forms the batches itself. */
  async own({ brokers, topic }: Place): Promise<ProducingClient> {
    const kafka = createKafka({ brokers, clientId: 'bench', log: createLog('bench', 'silent') })
    let batches = 0
    const producer = createBatchProducer(kafka, {
      produceTimeoutMs: timeoutMs,
      inFlightBytesMax,
      onBatch: () => (batches += 1),
    })
    return {
      store: (partition, records) =>
        new Promise((resolve, reject) => {
          let waiting = records.length
          const waiter = {
            resolve() {
              waiting -= 1
              if (waiting === 0) resolve()
            },
            reject,
          }
          for (const record of records) producer.post({ topic, partition }, record, waiter)
        }),
      batches: () => batches,
      close: () => producer.close(),
    }
  },

  async kafkajs({ brokers, topic }: Place): Promise<ProducingClient> {
    const kafka = new Kafka({
      brokers,
      logLevel: logLevel.NOTHING,
      requestTimeout: timeoutMs,
      retry: { retries: 0 },
    })
    const producer = kafka.producer({ idempotent: false, allowAutoTopicCreation: false })
    await producer.connect()
    return {
      async store(partition, records) {
        const messages = records.map(({ key, value, headers, timestampMs }) => ({
          key,
          value,
          headers,
          partition,
          timestamp: String(timestampMs),
        }))
        await producer.send({ topic, acks: -1, messages })
      },
      close: () => producer.disconnect(),
    }
  },

  async platformatic({ brokers, topic }: Place): Promise<ProducingClient> {
    const producer = new Producer({
      clientId: 'bench',
      bootstrapBrokers: brokers,
      idempotent: false,
      acks: ProduceAcks.ALL,
      timeout: timeoutMs,
      retries: 0,
      repeatOnStaleMetadata: false,
      serializers: {
        key: stringSerializer,
        headerKey: stringSerializer,
        headerValue: stringSerializer,
      },
    })
    return {
      async store(partition, records) {
        const messages = records.map(({ key, value, headers, timestampMs }) => ({
          topic,
          partition,
          key,
          value,
          headers,
          timestamp: BigInt(timestampMs),
        }))
        await producer.send({ messages, acks: ProduceAcks.ALL })
      },
      close: () => producer.close(),
    }
  },
}

export type ClientName = keyof typeof clients
