// Questions about one topic, asked of the brokers themselves: who leads its partitions, where its log begins
// and ends, what a group has committed. Nothing is remembered between two questions.
import type { Broker } from 'kafkajs/src/broker/index.js'
import type Cluster from 'kafkajs/src/cluster/index.js'

import { delay } from '@weir/kit'

import { protocolTypeOf } from '../connect/faults.ts'
import { KafkaError } from '../errors.ts'

export type Isolation = 'read_committed' | 'read_uncommitted'

export type PartitionLeaders = readonly { readonly partition: number; readonly leader: number }[]

// Kafka's special timestamps in ListOffsets.
const LATEST = -1
const EARLIEST = -2

const RECHECK_MS = 300

const ISOLATION_LEVEL = { read_uncommitted: 0, read_committed: 1 } as const satisfies Record<
  Isolation,
  number
>

/** The partitions by number, as one broker knows them now; undefined when it knows no such topic. */
export async function findLeaders(
  cluster: Cluster,
  topic: string,
): Promise<PartitionLeaders | undefined> {
  return askForLeaders(await cluster.brokerPool.findConnectedBroker(), topic)
}

/** The same from every broker: a topic that was made or deleted just now is known to some before others. */
export async function findLeadersEverywhere(
  cluster: Cluster,
  topic: string,
): Promise<(PartitionLeaders | undefined)[]> {
  await cluster.refreshMetadata()
  const brokers = cluster.getNodeIds().map((nodeId) => cluster.findBroker({ nodeId }))
  return Promise.all(brokers.map(async (broker) => askForLeaders(await broker, topic)))
}

export async function needLeaders(cluster: Cluster, topic: string): Promise<PartitionLeaders> {
  const leaders = await findLeaders(cluster, topic)
  if (!leaders) throw new KafkaError('kafka.not_found', `there is no topic ${topic}`)
  return leaders
}

/** True when all brokers say so, twice: one that just started might not know all topics yet. */
export async function isGone(cluster: Cluster, topic: string): Promise<boolean> {
  const isKnown = async () => (await findLeadersEverywhere(cluster, topic)).some(Boolean)
  if (await isKnown()) return false
  await delay(RECHECK_MS)
  return !(await isKnown())
}

/** One past the last offset that a reader of this isolation may see, by partition. */
export function endOffsets(
  cluster: Cluster,
  topic: string,
  isolation: Isolation,
): Promise<bigint[]> {
  return listOffsets(cluster, topic, LATEST, isolation)
}

/** The committed ends of partitions whose leaders the cluster knows, in one request to each leader. */
export async function endOffsetsOf(
  cluster: Cluster,
  topic: string,
  partitions: readonly number[],
): Promise<Map<number, bigint>> {
  const known = cluster.findTopicPartitionMetadata(topic)
  const leaders = known
    .filter(({ partitionId }) => partitions.includes(partitionId))
    .map(({ partitionId, leader }) => ({ partition: partitionId, leader }))
  const offsets = await askLeaders(cluster, topic, leaders, LATEST, 'read_committed')
  return new Map(leaders.map(({ partition }, index) => [partition, offsets[index] ?? 0n]))
}

export function earliestOffsets(cluster: Cluster, topic: string): Promise<bigint[]> {
  return listOffsets(cluster, topic, EARLIEST, 'read_uncommitted')
}

/** By partition, the first offset written at or after a time, by the records' own times; the end if none was. */
export async function offsetsAt(
  cluster: Cluster,
  topic: string,
  timestampMs: number,
): Promise<bigint[]> {
  // The end first: what is written in between is at or after it.
  const ends = await endOffsets(cluster, topic, 'read_committed')
  // Below 0 are Kafka's special ones.
  const found = await listOffsets(cluster, topic, Math.max(0, timestampMs), 'read_committed')
  return found.map((offset, partition) => (offset < 0n ? (ends[partition] ?? 0n) : offset))
}

/** What the group has committed, by partition, without joining it; undefined where it never did. */
export async function committedOffsets(
  cluster: Cluster,
  groupId: string,
  topic: string,
): Promise<(bigint | undefined)[]> {
  const leaders = await needLeaders(cluster, topic)
  const coordinator = await cluster.findGroupCoordinator({ groupId })
  const partitions = leaders.map(({ partition }) => ({ partition }))
  const { responses } = await coordinator.offsetFetch({ groupId, topics: [{ topic, partitions }] })
  return inOrder(leaders, responses).map((offset) => (offset < 0n ? undefined : offset))
}

async function askForLeaders(broker: Broker, topic: string): Promise<PartitionLeaders | undefined> {
  try {
    const { topicMetadata } = await broker.metadata([topic])
    const found = topicMetadata.find((metadata) => metadata.topic === topic)
    return found?.partitionMetadata
      .map(({ partitionId, leader }) => ({ partition: partitionId, leader }))
      .sort((a, b) => a.partition - b.partition)
  } catch (error) {
    if (protocolTypeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return undefined
    throw error
  }
}

async function listOffsets(
  cluster: Cluster,
  topic: string,
  timestamp: number,
  isolation: Isolation,
): Promise<bigint[]> {
  return askLeaders(cluster, topic, await needLeaders(cluster, topic), timestamp, isolation)
}

async function askLeaders(
  cluster: Cluster,
  topic: string,
  leaders: PartitionLeaders,
  timestamp: number,
  isolation: Isolation,
): Promise<bigint[]> {
  const byLeader = Map.groupBy(leaders, ({ leader }) => leader)
  const answers = [...byLeader].map(async ([nodeId, led]) => {
    const broker = await cluster.findBroker({ nodeId })
    const partitions = led.map(({ partition }) => ({ partition, timestamp }))
    const request = { isolationLevel: ISOLATION_LEVEL[isolation], topics: [{ topic, partitions }] }
    return (await broker.listOffsets(request)).responses
  })
  return inOrder(leaders, (await Promise.all(answers)).flat())
}

type Answers = { partitions: { partition: number; offset: string }[] }[]

function inOrder(leaders: PartitionLeaders, answers: Answers): bigint[] {
  const found = new Map<number, bigint>()
  for (const { partitions } of answers) {
    for (const { partition, offset } of partitions) found.set(partition, BigInt(offset))
  }
  return leaders.map(({ partition }) => {
    const offset = found.get(partition)
    if (offset === undefined)
      throw new KafkaError('kafka.not_found', 'a broker left a partition out')
    return offset
  })
}
