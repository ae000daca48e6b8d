// Making, deleting and looking at topics and groups. It holds no rules about which of them may go: callers
// check those right before. Every answer is fresh from the brokers.
import { AppError, hasCode, pollUntil } from '@weir/kit'

import { createBrokerCalls } from '../protocol/broker-calls.ts'
import { protocolTypeOf, unavailable } from '../connect/faults.ts'
import { fenceOnce } from '../fence/fence.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import * as topicCalls from './topic-calls.ts'
import type { Isolation } from './topic-calls.ts'
import { describeBrokers, describeTopics } from './topic-settings.ts'
import type { Settings, TopicSettings } from './topic-settings.ts'

export type TopicSpec = {
  readonly topic: string
  readonly partitions: number
  /** The broker's default when left out. */
  readonly replicationFactor?: number | undefined
  readonly config?: Readonly<Record<string, string>>
}

export type Admin = {
  /** Resolves once every broker knows the topic. `exists` means that it was there before. */
  createTopic(spec: TopicSpec): Promise<'created' | 'exists'>
  /** Resolves once no broker shows the topic any more, and tells the producers of this handle. */
  deleteTopic(topic: string): Promise<'deleted' | 'absent'>
  topicExists(topic: string): Promise<boolean>
  partitionCount(topic: string): Promise<number | undefined>
  /** AppError `group_not_empty` while it has members. */
  deleteGroup(groupId: string): Promise<'deleted' | 'absent'>
  endOffsets(topic: string, options: { isolation: Isolation }): Promise<bigint[]>
  earliestOffsets(topic: string): Promise<bigint[]>
  /** The first offset of each partition that was written at or after a time; the end where none was. */
  offsetsAt(topic: string, timestampMs: number): Promise<bigint[]>
  committedOffsets(groupId: string, topic: string): Promise<(bigint | undefined)[]>
  /** True when no partition holds anything, a transaction's markers included. */
  isEmpty(topic: string): Promise<boolean>
  /** Ends the open transaction of whoever has this transactional id, and fences it. */
  fence(transactionalId: string): Promise<void>
  topicConfig(topic: string): Promise<Record<string, string>>
  /** All settings of the topic's own: what isn't named goes back to the broker's default. */
  setTopicConfig(topic: string, config: Readonly<Record<string, string>>): Promise<void>
  /** Of those that there are. */
  describeTopics(topics: readonly string[]): Promise<ReadonlyMap<string, TopicSettings>>
  /** Each broker's, by its id. */
  brokerConfigs(): Promise<ReadonlyMap<string, Settings>>
  ping(): Promise<void>
  close(): Promise<void>
}

export type AdminOptions = {
  /** How long a call may try before it is AppError `unavailable`; 15 s when left out. */
  readonly deadlineMs?: number
}

const BROKERS_DEFAULT = -1
const REQUEST_TIMEOUT_MS = 10_000
const SPREAD_TIMEOUT_MS = 15_000
const TOPIC_RESOURCE = 2

export function createAdmin(kafka: Kafka, { deadlineMs }: AdminOptions = {}): Admin {
  const calls = createBrokerCalls(kafka, deadlineMs)
  const internals = internalsOf(kafka)

  const leadersEverywhere = (topic: string) =>
    calls.run('look at a topic', (cluster) => topicCalls.findLeadersEverywhere(cluster, topic))

  async function untilEverywhere(
    topic: string,
    holds: (leaders: topicCalls.PartitionLeaders | undefined) => boolean,
    what: string,
  ): Promise<void> {
    const look = async () => (await leadersEverywhere(topic)).every(holds)
    await pollUntil(look, { deadlineMs: SPREAD_TIMEOUT_MS, what }).catch((error: unknown) => {
      throw hasCode(error, 'timeout') ? unavailable(what, error) : error
    })
  }

  const earliestOffsets = (topic: string) =>
    calls.run('read offsets', (cluster) => topicCalls.earliestOffsets(cluster, topic))

  const endOffsets: Admin['endOffsets'] = (topic, { isolation }) =>
    calls.run('read offsets', (cluster) => topicCalls.endOffsets(cluster, topic, isolation))

  const describe = (topics: readonly string[]) =>
    calls.run('read the settings of topics', (cluster) => describeTopics(cluster, topics))

  return {
    async createTopic(spec) {
      const outcome = await calls.runOnce('make a topic', async (cluster) => {
        const broker = await cluster.findControllerBroker()
        return unlessProtocol('TOPIC_ALREADY_EXISTS', 'exists' as const, async () => {
          await broker.createTopics({ topics: [toRequest(spec)], timeout: REQUEST_TIMEOUT_MS })
          return 'created' as const
        })
      })
      await untilEverywhere(spec.topic, hasLeaders, 'make a topic known')
      return outcome
    },

    async deleteTopic(topic) {
      const outcome = await calls.run('delete a topic', async (cluster) => {
        const broker = await cluster.findControllerBroker()
        return unlessProtocol('UNKNOWN_TOPIC_OR_PARTITION', 'absent' as const, async () => {
          await broker.deleteTopics({ topics: [topic], timeout: REQUEST_TIMEOUT_MS })
          return 'deleted' as const
        })
      })
      internals.deletedTopics.announce(topic)
      await untilEverywhere(topic, (leaders) => leaders === undefined, 'make a topic go')
      return outcome
    },

    async topicExists(topic) {
      return (await leadersEverywhere(topic)).some((known) => known !== undefined)
    },

    partitionCount: (topic) =>
      calls.run('look at a topic', async (cluster) => {
        return (await topicCalls.findLeaders(cluster, topic))?.length
      }),

    deleteGroup: (groupId) =>
      calls.run('delete a group', async (cluster) => {
        const coordinator = await cluster.findGroupCoordinator({ groupId })
        const { results } = await coordinator.deleteGroups([groupId])
        const error = results.find((result) => result.groupId === groupId)?.error
        if (!error) return 'deleted'
        const type = protocolTypeOf(error)
        if (type === 'GROUP_ID_NOT_FOUND') return 'absent'
        if (type === 'NON_EMPTY_GROUP') throw groupNotEmpty(groupId)
        throw error
      }),

    endOffsets,
    earliestOffsets,
    offsetsAt: (topic, timestampMs) =>
      calls.run('read offsets', (cluster) => topicCalls.offsetsAt(cluster, topic, timestampMs)),

    committedOffsets: (groupId, topic) =>
      calls.run('read committed offsets', (cluster) =>
        topicCalls.committedOffsets(cluster, groupId, topic),
      ),

    async isEmpty(topic) {
      const earliest = await earliestOffsets(topic)
      const ends = await endOffsets(topic, { isolation: 'read_uncommitted' })
      return ends.every((end, partition) => end === earliest[partition])
    },

    fence: (transactionalId) => fenceOnce(kafka, transactionalId),
    async topicConfig(topic) {
      const found = (await describe([topic])).get(topic)
      if (!found) throw new AppError('not_found', `there is no topic ${topic}`)
      return { ...found.config }
    },
    setTopicConfig: (topic, config) =>
      calls.run('change the settings of a topic', async (cluster) => {
        const broker = await cluster.findControllerBroker()
        const resource = { type: TOPIC_RESOURCE, name: topic, configEntries: entriesOf(config) }
        await broker.alterConfigs({ resources: [resource] })
      }),
    describeTopics: describe,
    brokerConfigs: () => calls.run('read the settings of brokers', describeBrokers),
    ping: () => calls.run('answer', (cluster) => cluster.refreshMetadata()),
    close: () => calls.close(),
  }
}

function toRequest({ topic, partitions, replicationFactor, config = {} }: TopicSpec) {
  return {
    topic,
    numPartitions: partitions,
    replicationFactor: replicationFactor ?? BROKERS_DEFAULT,
    configEntries: entriesOf(config),
  }
}

const entriesOf = (config: Readonly<Record<string, string>>) =>
  Object.entries(config).map(([name, value]) => ({ name, value }))

function hasLeaders(leaders: topicCalls.PartitionLeaders | undefined): boolean {
  return leaders !== undefined && leaders.every(({ leader }) => leader >= 0)
}

async function unlessProtocol<T, U>(type: string, instead: U, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    if (protocolTypeOf(error) === type) return instead
    throw error
  }
}

function groupNotEmpty(groupId: string): AppError {
  return new AppError('group_not_empty', `the group ${groupId} still has members`)
}
