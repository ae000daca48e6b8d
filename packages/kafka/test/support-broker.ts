// A broker that one test can pause, kill and restart. Its log is read by kafkajs's consumer, which shares no code with
// the producer under test.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { compressionsAlgorithms } from '@platformatic/kafka'
import kafkajs, { Kafka as KafkaJs, logLevel } from 'kafkajs'
import type { Admin, Consumer } from 'kafkajs'

import { startStack } from '@weir/devstack'
import { pollUntil, withTimeout } from '@weir/kit'

// kafkajs includes only gzip. It is a CommonJS module in which Node finds no named exports for codecs.
const { CompressionCodecs, CompressionTypes } = kafkajs
const unpackers = [
  [CompressionTypes.Snappy, compressionsAlgorithms.snappy],
  [CompressionTypes.LZ4, compressionsAlgorithms.lz4],
  [CompressionTypes.ZSTD, compressionsAlgorithms.zstd],
] as const
const codecs: Partial<Record<number, () => unknown>> = CompressionCodecs
for (const [type, { decompressSync }] of unpackers)
  codecs[type] = () => ({ decompress: async (packed: Buffer) => decompressSync(packed) })

export type OwnBroker = {
  readonly brokers: string[]
  /** The broker stays connected, but doesn't respond. */
  pause(): void
  resume(): void
  kill(): Promise<void>
  /** Resolves once the broker serves again, with the same data. */
  start(): Promise<void>
  stop(): Promise<void>
}

export async function startOwnBroker(
  brokerSettings: Readonly<Record<string, string | number>> = {},
): Promise<OwnBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-kafka-test-'))
  const noRegistry = 'http://127.0.0.1:9'
  const stack = await startStack({
    folder,
    ports: 'free',
    schemaRegistryUrl: noRegistry,
    brokerSettings,
  })
  return {
    brokers: [stack.kafkaBrokers],
    pause: stack.pauseBroker,
    resume: stack.resumeBroker,
    kill: stack.killBroker,
    start: stack.restartBroker,
    async stop() {
      stack.resumeBroker()
      await stack.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type LoggedRecord = { partition: number; offset: number; key: string; value: string }

export type Outside = {
  readonly admin: Admin
  makeTopic(topic: string, partitions: number, config?: Record<string, string>): Promise<void>
  /** Returns every record of the topic, from all writers, in the order of each partition. */
  readLog(topic: string): Promise<LoggedRecord[]>
  close(): Promise<void>
}

const READ_WITHIN_MS = 60_000

/** Returns functions that use none of the code under test. */
export async function lookFromOutside(brokers: string[]): Promise<Outside> {
  const kafka = new KafkaJs({ clientId: 'outside', brokers, logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  const offsetsOf = (topic: string) => admin.fetchTopicOffsets(topic).catch(() => undefined)
  return {
    admin,
    async makeTopic(topic, partitions, config = {}) {
      const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
      const made = { topic, numPartitions: partitions, replicationFactor: 1, configEntries }
      // kafkajs's own wait fails if a broker doesn't know the topic yet.
      await admin.createTopics({ topics: [made], waitForLeaders: false })
      await pollUntil(() => offsetsOf(topic), { deadlineMs: 60_000, what: `leaders of ${topic}` })
    },
    async readLog(topic) {
      // Right after its start a broker may not lead its partitions yet.
      const offsets = await pollUntil(() => offsetsOf(topic), {
        deadlineMs: 60_000,
        what: `the offsets of ${topic}`,
      })
      const ends = offsets.map(({ partition, high }) => ({
        partition,
        end: Number(high),
      }))
      if (ends.every(({ end }) => end === 0)) return []
      const groupId = `outside-${randomUUID()}`
      const consumer = kafka.consumer({ groupId, readUncommitted: true, maxWaitTimeInMs: 50 })
      try {
        return await readUntil(consumer, topic, ends)
      } finally {
        await consumer.disconnect()
      }
    },
    close: () => admin.disconnect(),
  }
}

async function readUntil(
  consumer: Consumer,
  topic: string,
  ends: readonly { partition: number; end: number }[],
): Promise<LoggedRecord[]> {
  const records: LoggedRecord[] = []
  const nextOffsets = new Map(ends.map(({ partition }) => [partition, 0]))
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachMessage({ partition, message }) {
      const offset = Number(message.offset)
      nextOffsets.set(partition, offset + 1)
      records.push({ partition, offset, key: String(message.key), value: String(message.value) })
      return Promise.resolve()
    },
  })
  const isRead = () => ends.every(({ partition, end }) => (nextOffsets.get(partition) ?? 0) >= end)
  await withTimeout(
    pollUntil(isRead, { deadlineMs: READ_WITHIN_MS, everyMs: 20, what: 'reading the log' }),
    READ_WITHIN_MS,
    'reading the log',
  )
  return records.sort((a, b) => a.partition - b.partition || a.offset - b.offset)
}

export function valuesIn(log: readonly LoggedRecord[], partition: number): string[] {
  return log.filter((record) => record.partition === partition).map(({ value }) => value)
}

export function timesStored(log: readonly LoggedRecord[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const { value } of log) times.set(value, (times.get(value) ?? 0) + 1)
  return times
}
