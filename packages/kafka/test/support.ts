// Shared support for the integration tests: handles on the real broker, topics that are deleted afterwards, readers,
// and kafkajs writers that use none of the code under test.
import { randomUUID } from 'node:crypto'

import { Kafka as KafkaJs, Partitioners, logLevel } from 'kafkajs'
import type { GroupDescription, Message, Producer } from 'kafkajs'

import { createLog, pollUntil } from '@weir/kit'

import type { Admin } from '../src/admin/admin.ts'
import { createKafka } from '../src/connect/client.ts'
import type { Kafka } from '../src/connect/client.ts'
import { createBrokerCalls } from '../src/connect/broker-calls.ts'
import { readCommitted } from '../src/read/committed-range.ts'
import type { SourceRecord } from '../src/protocol/source-record.ts'
import { endOffsets } from '../src/connect/topic-calls.ts'

export const BROKERS = (process.env['KAFKA_BROKERS'] ?? '127.0.0.1:19092').split(',')

export const log = createLog('kafka-test', process.env['LOG_LEVEL'] ?? 'silent')

export function connect(brokers: readonly string[] = BROKERS): Kafka {
  return createKafka({ brokers, clientId: 'weir-test', log })
}

export function uniqueName(what: string): string {
  return `test-${what}-${randomUUID()}`
}

/** Plain kafkajs, for checking results independently. */
export function plainKafka(): KafkaJs {
  return new KafkaJs({ clientId: 'outside', brokers: BROKERS, logLevel: logLevel.NOTHING })
}

const topicsMade: string[] = []

/** Creates a topic for one test. `deleteTopicsMade` deletes it at the end of the file. */
export async function makeTopic(
  admin: Admin,
  what: string,
  partitions: number,
  config: Record<string, string> = {},
): Promise<string> {
  const topic = uniqueName(what)
  await admin.topics.create({ topic, partitions, replicationFactor: 1, config })
  topicsMade.push(topic)
  return topic
}

export async function deleteTopicsMade(admin: Admin): Promise<void> {
  await Promise.all(topicsMade.splice(0).map((topic) => admin.topics.delete(topic)))
}

// One writer per topic, because a kafkajs producer that knows a deleted topic fails for other topics, too.
const writers = new Map<string, Promise<Producer>>()

export async function writeTo(topic: string, ...messages: Message[]): Promise<void> {
  const writer = writers.get(topic) ?? openWriter()
  writers.set(topic, writer)
  await (await writer).send({ topic, messages })
}

async function openWriter(): Promise<Producer> {
  const producer = plainKafka().producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  })
  await producer.connect()
  return producer
}

export async function closeWriters(): Promise<void> {
  for (const writer of writers.values()) await (await writer).disconnect()
  writers.clear()
}

async function groupsOf(groupPrefix: string): Promise<GroupDescription[]> {
  const admin = plainKafka().admin()
  await admin.connect()
  const { groups } = await admin.listGroups()
  const ids = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(groupPrefix))
  const described = await admin.describeGroups(ids)
  await admin.disconnect()
  return described.groups
}

export async function hasMembers(groupPrefix: string): Promise<boolean> {
  return (await groupsOf(groupPrefix)).some(({ members }) => members.length > 0)
}

/** Returns all records that a read_committed reader sees now, one partition after the other. */
export async function readRecords(topic: string): Promise<SourceRecord[]> {
  const calls = createBrokerCalls(connect(), 30_000)
  try {
    return await calls.run('read everything', async (cluster) => {
      const ends = await endOffsets(cluster, topic, 'read_committed')
      const seen: SourceRecord[] = []
      for (const [partition, to] of ends.entries()) {
        seen.push(...(await readCommitted(cluster, { topic, partition, from: 0n, to })))
      }
      return seen
    })
  } finally {
    await calls.close()
  }
}

/** Waits until readers see the end of all transactions. Kafka confirms an end before it writes the marker. */
export async function untilTransactionsEnded(topic: string): Promise<void> {
  const calls = createBrokerCalls(connect(), 30_000)
  const hasEnded = () =>
    calls.run('compare the ends', async (cluster) => {
      const committed = await endOffsets(cluster, topic, 'read_committed')
      const all = await endOffsets(cluster, topic, 'read_uncommitted')
      return committed.every((end, partition) => end === all[partition])
    })
  try {
    await pollUntil(hasEnded, { deadlineMs: 60_000, what: `no open transaction in ${topic}` })
  } finally {
    await calls.close()
  }
}

/** Like `readRecords`, as `key=value`. */
export async function readAll(topic: string): Promise<string[]> {
  const records = await readRecords(topic)
  return records.map(({ key, value }) => `${key?.toString() ?? ''}=${value?.toString() ?? 'gone'}`)
}

/** Deletes records immediately, as retention would later. */
export async function removeRecordsBefore(
  topic: string,
  partition: number,
  offset: bigint,
): Promise<void> {
  const admin = plainKafka().admin()
  await admin.connect()
  await admin.fetchTopicOffsets(topic)
  await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: `${offset}` }] })
  await admin.disconnect()
}
