// Requests about one topic: for its leaders, the offsets of its logs, and a group's committed offsets. Nothing is
// cached.
import { ProtocolError, deleteRecordsV2, listOffsetsV8, offsetFetchV9 } from '#client-library'

import { delay } from '@weir/kit'

import type { KafkaBrokers } from './broker-calls.ts'
import type { Partition, Topic } from './cluster-state.ts'
import { requestOf } from './requests.ts'
import { KafkaError } from '../errors.ts'

export type Isolation = 'read_committed' | 'read_uncommitted'

export type Partitions = readonly Partition[]

// Kafka's special timestamps in ListOffsets.
const LATEST = -1n
const EARLIEST = -2n

const NO_REPLICA = -1
const ANY_EPOCH = -1
const NO_MEMBER = { memberId: null, memberEpoch: -1 }
const RECHECK_MS = 300
const DELETE_WITHIN_MS = 10_000

const ISOLATION_LEVEL = { read_uncommitted: 0, read_committed: 1 } as const satisfies Record<
  Isolation,
  number
>

/**
 * Returns the partitions in order, as broker `at` reports them now, by default any broker. Undefined if the broker
 * doesn't know the topic.
 */
export async function findPartitions(
  brokers: KafkaBrokers,
  topic: string,
  at?: number,
): Promise<Partitions | undefined> {
  return (await findTopic(brokers, topic, at))?.partitions
}

async function findTopic(
  brokers: KafkaBrokers,
  topic: string,
  at?: number,
): Promise<Topic | undefined> {
  const { topics, faults } = await brokers.describe([topic], at)
  const fault = faults.get(topic)
  if (fault) throw fault
  return topics.get(topic)
}

/**
 * Returns the partitions as each broker reports them, because some brokers learn of a new or deleted topic before
 * others.
 */
export async function findPartitionsEverywhere(
  brokers: KafkaBrokers,
  topic: string,
): Promise<(Partitions | undefined)[]> {
  const { brokers: ids } = await brokers.describe([])
  return Promise.all(ids.map((id) => findPartitions(brokers, topic, id)))
}

export async function needPartitions(brokers: KafkaBrokers, topic: string): Promise<Partitions> {
  return (await needTopic(brokers, topic)).partitions
}

export async function needTopic(brokers: KafkaBrokers, topic: string): Promise<Topic> {
  const found = await findTopic(brokers, topic)
  if (!found) throw new KafkaError('kafka.not_found', `there is no topic ${topic}`)
  return found
}

/**
 * Returns true if all brokers report twice that the topic is missing, because a broker that has just started may not
 * know all topics yet. If an id is given, a topic with another id counts as missing.
 */
export async function isGone(brokers: KafkaBrokers, topic: string, id?: string): Promise<boolean> {
  const isKnown = async () => {
    const { brokers: ids } = await brokers.describe([])
    const found = await Promise.all(ids.map((at) => findTopic(brokers, topic, at)))
    return found.some((one) => one !== undefined && (id === undefined || one.id === id))
  }
  if (await isKnown()) return false
  await delay(RECHECK_MS)
  return !(await isKnown())
}

/** See `LogOffsets.ends`. */
export function endOffsets(
  brokers: KafkaBrokers,
  topic: string,
  isolation: Isolation,
): Promise<bigint[]> {
  return listOffsets(brokers, topic, LATEST, isolation)
}

/** Like `endOffsets` for committed records, but only for these partitions. */
export function endOffsetsOf(
  brokers: KafkaBrokers,
  topic: string,
  partitions: Partitions,
): Promise<Map<number, bigint>> {
  return askLeaders(brokers, { topic, partitions }, LATEST, 'read_committed')
}

type LedBy = Pick<Partition, 'partition' | 'leader'>

/**
 * Returns the log end of one partition, including uncommitted records. Throws Kafka's own error if the leader has no
 * log.
 */
export async function logEndOf(brokers: KafkaBrokers, topic: string, one: LedBy): Promise<bigint> {
  const asked = { topic, partitions: [one] }
  const [end] = (await askLeaders(brokers, asked, LATEST, 'read_uncommitted')).values()
  return end ?? leftOut()
}

/** Returns the first offset that the partition's log contains now. */
export async function logStartOf(
  brokers: KafkaBrokers,
  topic: string,
  one: LedBy,
): Promise<bigint> {
  const asked = { topic, partitions: [one] }
  const [start] = (await askLeaders(brokers, asked, EARLIEST, 'read_uncommitted')).values()
  return start ?? leftOut()
}

export function earliestOffsets(brokers: KafkaBrokers, topic: string): Promise<bigint[]> {
  return listOffsets(brokers, topic, EARLIEST, 'read_uncommitted')
}

/** See `LogOffsets.at`. */
export async function offsetsAt(
  brokers: KafkaBrokers,
  topic: string,
  timestampMs: number,
): Promise<bigint[]> {
  // The ends are read first, so that records written between the two requests are after these ends.
  const ends = await endOffsets(brokers, topic, 'read_committed')
  // Negative timestamps have special meanings in Kafka.
  const time = BigInt(Math.max(0, Math.floor(timestampMs)))
  const found = await listOffsets(brokers, topic, time, 'read_committed')
  return found.map((offset, partition) => (offset < 0n ? (ends[partition] ?? 0n) : offset))
}

/** See `Groups.committedOffsets`. */
export async function committedOffsets(
  brokers: KafkaBrokers,
  groupId: string,
  topic: string,
): Promise<(bigint | undefined)[]> {
  const partitions = await needPartitions(brokers, topic)
  const topics = [{ name: topic, partitionIndexes: partitions.map(({ partition }) => partition) }]
  const request = requestOf(offsetFetchV9.api, [{ groupId, ...NO_MEMBER, topics }], false)
  const { groups } = await brokers.ask({ group: groupId }, request)
  const found = groups.flatMap((group) => group.topics.flatMap((one) => one.partitions))
  const committed = new Map(
    found.map(({ partitionIndex, committedOffset }) => [partitionIndex, committedOffset]),
  )
  return inOrder(partitions, committed).map((offset) => (offset < 0n ? undefined : offset))
}

/** Deletes the records before these offsets. Throws Kafka's own error if an offset is beyond the end. */
export async function deleteBefore(
  brokers: KafkaBrokers,
  topic: string,
  before: readonly bigint[],
): Promise<void> {
  const byLeader = Map.groupBy(await needPartitions(brokers, topic), leaderOf)
  const answers = [...byLeader].map(async ([leader, led]) => {
    const partitions = led.map(({ partition }) => ({
      partitionIndex: partition,
      offset: before[partition] ?? 0n,
    }))
    const topics = [{ name: topic, partitions }]
    await brokers.ask(leader, requestOf(deleteRecordsV2.api, topics, DELETE_WITHIN_MS))
  })
  await Promise.all(answers)
}

async function listOffsets(
  brokers: KafkaBrokers,
  topic: string,
  timestamp: bigint,
  isolation: Isolation,
): Promise<bigint[]> {
  const partitions = await needPartitions(brokers, topic)
  return inOrder(partitions, await askLeaders(brokers, { topic, partitions }, timestamp, isolation))
}

async function askLeaders(
  brokers: KafkaBrokers,
  { topic, partitions }: { readonly topic: string; readonly partitions: readonly LedBy[] },
  timestamp: bigint,
  isolation: Isolation,
): Promise<Map<number, bigint>> {
  const offsets = new Map<number, bigint>()
  const byLeader = Map.groupBy(partitions, leaderOf)
  const answers = [...byLeader].map(async ([leader, led]) => {
    const asked = led.map(({ partition }) => ({
      partitionIndex: partition,
      currentLeaderEpoch: ANY_EPOCH,
      timestamp,
    }))
    const topics = [{ name: topic, partitions: asked }]
    const request = requestOf(listOffsetsV8.api, NO_REPLICA, ISOLATION_LEVEL[isolation], topics)
    const answer = await brokers.ask(leader, request)
    for (const { partitionIndex, offset } of answer.topics.flatMap((one) => one.partitions))
      offsets.set(partitionIndex, offset)
  })
  await Promise.all(answers)
  return offsets
}

/** Throws Kafka's own, retriable error while the partition has no leader. */
export function leaderOf({ leader }: Pick<Partition, 'leader'>): number {
  if (leader === undefined) throw new ProtocolError('LEADER_NOT_AVAILABLE')
  return leader
}

function inOrder(partitions: Partitions, found: ReadonlyMap<number, bigint>): bigint[] {
  return partitions.map(({ partition }) => found.get(partition) ?? leftOut())
}

function leftOut(): never {
  throw new KafkaError('kafka.not_found', "a partition is missing from a broker's response")
}
