// Stores positions of readers as the committed offsets of a group without members, so that standard tools show the lag.
// The last commit wins, so a reader must recognise its own positions by their metadata.
import { ProtocolError, offsetCommitV9, offsetFetchV9 } from '#client-library'

import { createTurns } from '@weir/kit'

import { answerWithFaults } from '../connect/cluster-state.ts'
import { createBrokerCalls } from '../connect/broker-calls.ts'
import type { KafkaBrokers } from '../connect/broker-calls.ts'
import type { Kafka } from '../connect/internals.ts'
import { requestOf } from '../connect/requests.ts'
import { KafkaError } from '../errors.ts'

export type PartitionOf = { readonly topic: string; readonly partition: number }

export type Position = PartitionOf & {
  /** The next offset to read. */
  readonly offset: bigint
  /** The maximum is 4,096 bytes. */
  readonly metadata: string
}

export type GroupPartitions = {
  readonly groupId: string
  readonly partitions: readonly PartitionOf[]
}

export type Positions = {
  /**
   * Commits in one request. Returns the positions that Kafka rejected because it doesn't know the partition. Throws
   * KafkaError `kafka.group_not_empty` if the group has members, `kafka.unavailable` or `kafka.refused`.
   */
  commit(groupId: string, positions: readonly Position[]): Promise<readonly Position[]>
  /** Returns the committed positions by group id. Groups with the same coordinator share one request. */
  read(groups: readonly GroupPartitions[]): Promise<ReadonlyMap<string, readonly Position[]>>
  close(): Promise<void>
}

type CommitAnswer = offsetCommitV9.OffsetCommitResponse
type FetchAnswer = offsetFetchV9.OffsetFetchResponse

const NO_MEMBER = { generation: -1, memberId: '', instanceId: null }
const ANY_EPOCH = -1
// A commit waits for replicas. Without a limit, other requests on the connection could wait for a thousand commits.
const AT_ONCE = 8
const GROUPS_AT_ONCE = 1_000
const NONE = 0
const UNKNOWN_TOPIC_OR_PARTITION = 3
const NOT_COORDINATOR = 16
const UNKNOWN_MEMBER_ID = 25
// Thrown if FindCoordinator failed. Its response has neither `topics` nor `groups`.
const NO_COORDINATOR = new ProtocolError('COORDINATOR_NOT_AVAILABLE')

export function createPositions(kafka: Kafka): Positions {
  const calls = createBrokerCalls(kafka)
  const inTurn = createTurns(AT_ONCE)

  return {
    commit: (groupId, positions) =>
      inTurn(() => calls.run('commit offsets', (brokers) => commit(brokers, groupId, positions))),
    async read(groups) {
      const found = new Map<string, Position[]>()
      for (let at = 0; at < groups.length; at += GROUPS_AT_ONCE) {
        const some = groups.slice(at, at + GROUPS_AT_ONCE)
        await calls.run('read committed offsets', (brokers) => read(brokers, some, found))
      }
      return found
    },
    close: calls.close,
  }
}

async function commit(
  brokers: KafkaBrokers,
  groupId: string,
  positions: readonly Position[],
): Promise<readonly Position[]> {
  const byTopic = Map.groupBy(positions, ({ topic }) => topic)
  const topics = [...byTopic].map(([name, ofTopic]) => ({
    name,
    partitions: ofTopic.map(({ partition, offset, metadata }) => ({
      partitionIndex: partition,
      committedOffset: offset,
      committedLeaderEpoch: ANY_EPOCH,
      committedMetadata: metadata,
    })),
  }))
  const { generation, memberId, instanceId } = NO_MEMBER
  const request = requestOf(offsetCommitV9.api, groupId, generation, memberId, instanceId, topics)
  const answer = await brokers
    .ask({ group: groupId }, request, 'transactions')
    .catch(answerWithFaults<Partial<CommitAnswer>>)
  if (answer.topics === undefined) throw NO_COORDINATOR
  const errorCodes = new Map<string, number>()
  for (const { name, partitions } of answer.topics)
    for (const { partitionIndex, errorCode } of partitions)
      errorCodes.set(`${name}/${partitionIndex}`, errorCode)
  const errorOf = ({ topic, partition }: Position) => errorCodes.get(`${topic}/${partition}`)
  return positions.filter((position) => !isTaken(groupId, errorOf(position)))
}

function isTaken(groupId: string, errorCode = UNKNOWN_TOPIC_OR_PARTITION): boolean {
  if (errorCode === UNKNOWN_MEMBER_ID)
    throw new KafkaError('kafka.group_not_empty', `the group ${groupId} has members`)
  if (errorCode !== NONE && errorCode !== UNKNOWN_TOPIC_OR_PARTITION)
    throw new ProtocolError(errorCode)
  return errorCode === NONE
}

/**
 * Asks one group's coordinator about all remaining groups, until none remain. Adds the results to `found`. A response
 * says which groups have other coordinators.
 */
async function read(
  brokers: KafkaBrokers,
  groups: readonly GroupPartitions[],
  found: Map<string, Position[]>,
): Promise<void> {
  const left = new Map(groups.map((group) => [group.groupId, group]))
  for (let [first] = left.values(); first !== undefined; [first] = left.values()) {
    const request = requestOf(offsetFetchV9.api, [...left.values()].map(toFetch), false)
    const answer = await brokers
      .ask({ group: first.groupId }, request)
      .catch(answerWithFaults<Partial<FetchAnswer>>)
    if (answer.groups === undefined) throw NO_COORDINATOR
    for (const group of answer.groups) {
      if (group.errorCode === NOT_COORDINATOR && group.groupId !== first.groupId) continue
      found.set(group.groupId, positionsIn(group))
      left.delete(group.groupId)
    }
    if (left.delete(first.groupId)) throw new ProtocolError('NOT_COORDINATOR')
  }
}

function toFetch({ groupId, partitions }: GroupPartitions) {
  const byTopic = Map.groupBy(partitions, ({ topic }) => topic)
  const topics = [...byTopic].map(([name, ofTopic]) => ({
    name,
    partitionIndexes: ofTopic.map(({ partition }) => partition),
  }))
  return { groupId, memberId: null, memberEpoch: -1, topics }
}

function positionsIn({ errorCode, topics }: FetchAnswer['groups'][number]): Position[] {
  if (errorCode !== NONE) throw new ProtocolError(errorCode)
  return topics.flatMap(({ name, partitions }) =>
    partitions.flatMap((one) => {
      if (one.errorCode !== NONE && one.errorCode !== UNKNOWN_TOPIC_OR_PARTITION)
        throw new ProtocolError(one.errorCode)
      if (one.committedOffset < 0n) return []
      const { partitionIndex: partition, committedOffset: offset, metadata } = one
      return [{ topic: name, partition, offset, metadata: metadata ?? '' }]
    }),
  )
}
