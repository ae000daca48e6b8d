// Creates topics for the tests of reading, and writes their records with kafkajs.
import { randomUUID } from 'node:crypto'
import { Kafka, Partitioners, logLevel } from 'kafkajs'
import type { Admin, Message, Producer } from 'kafkajs'
import { pollUntil } from '@weir/kit'
import { openTopic } from '../../src/index.ts'
import type { OpenTopic, TopicOptions, TopicRecord } from '../../src/index.ts'

export type Broker = {
  readonly admin: Admin
  optionsOf(topic: string): TopicOptions
  makeTopic(partitions?: number, config?: Record<string, string>): Promise<string>
  write(topic: string, messages: readonly Message[]): Promise<void>
  /** Writes in a transaction, and commits it. */
  commit(topic: string, messages: readonly Message[]): Promise<void>
  abort(topic: string, messages: readonly Message[]): Promise<void>
  deleteBefore(topic: string, partition: number, offset: string): Promise<void>
  close(): Promise<void>
}

export async function connectTo(brokers: readonly string[]): Promise<Broker> {
  const kafka = new Kafka({
    clientId: 'reading-test',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
  })
  const admin = kafka.admin()
  const producer = (transactionalId?: string): Producer =>
    kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
      ...(transactionalId && { transactionalId, idempotent: true, maxInFlightRequests: 1 }),
    })
  const plain = producer()
  const transactional = producer(`reading-${randomUUID()}`)
  await Promise.all([admin, plain, transactional].map((each) => each.connect()))
  const transact = async (topic: string, messages: readonly Message[], isKept: boolean) => {
    const transaction = await transactional.transaction()
    await transaction.send({ topic, messages: [...messages] })
    await (isKept ? transaction.commit() : transaction.abort())
  }
  return {
    admin,
    optionsOf: (topic) => ({ brokers, topic, groupId: `group-of-${topic}` }),
    async makeTopic(numPartitions = 1, config = {}) {
      const topic = `test-reading-${randomUUID()}`
      const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
      await admin.createTopics({
        topics: [{ topic, numPartitions, replicationFactor: 1, configEntries }],
        waitForLeaders: false,
      })
      await pollUntil(() => admin.fetchTopicOffsets(topic).catch(() => undefined), {
        deadlineMs: 60_000,
        what: `leaders of ${topic}`,
      })
      return topic
    },
    async write(topic, messages) {
      await plain.send({ topic, messages: [...messages] })
    },
    commit: (topic, messages) => transact(topic, messages, true),
    abort: (topic, messages) => transact(topic, messages, false),
    deleteBefore: (topic, partition, offset) =>
      admin.deleteTopicRecords({ topic, partitions: [{ partition, offset }] }),
    async close() {
      await Promise.all([admin, plain, transactional].map((each) => each.disconnect()))
    },
  }
}

export const textOf = ({ partition, value }: TopicRecord): string => `${partition} ${String(value)}`

export async function textsOf(topic: OpenTopic): Promise<string[]> {
  const texts: string[] = []
  await topic.read((record) => void texts.push(textOf(record)))
  return texts
}

export async function readWhole(...args: Parameters<typeof openTopic>): Promise<string[]> {
  const topic = await openTopic(...args)
  try {
    return await textsOf(topic)
  } finally {
    await topic.close()
  }
}

export const numbered = (count: number, partition: number, from = 0): Message[] =>
  Array.from({ length: count }, (_, index) => ({ value: `v${from + index}`, partition }))
