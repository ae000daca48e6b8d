// Making, deleting and looking at topics. It holds no rules about which of them may go: callers check those right
// before. Every answer is fresh from the brokers.
import { hasCode, pollUntil } from '@weir/kit'

import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { protocolTypeOf, unavailable } from '../connect/faults.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { entriesOf } from './configs.ts'
import * as topicCalls from './topic-calls.ts'

export type TopicSpec = {
  readonly topic: string
  readonly partitions: number
  /** The broker's default when left out. */
  readonly replicationFactor?: number | undefined
  readonly config?: Readonly<Record<string, string>>
}

export type Topics = {
  /** Resolves once every broker knows the topic. `exists` means that it was there before. */
  create(spec: TopicSpec): Promise<'created' | 'exists'>
  /** Resolves once no broker shows the topic any more, and tells the producers of this handle. */
  delete(topic: string): Promise<'deleted' | 'absent'>
  exists(topic: string): Promise<boolean>
  /** True when no partition holds anything, a transaction's markers included. */
  isEmpty(topic: string): Promise<boolean>
  partitionCount(topic: string): Promise<number | undefined>
}

const BROKERS_DEFAULT = -1
const REQUEST_TIMEOUT_MS = 10_000
const SPREAD_TIMEOUT_MS = 15_000

export function createTopics(kafka: Kafka, calls: BrokerCalls): Topics {
  const leadersEverywhere = (topic: string) =>
    calls.run('describe a topic', (cluster) => topicCalls.findLeadersEverywhere(cluster, topic))

  async function untilEverywhere(
    topic: string,
    holds: (leaders: topicCalls.PartitionLeaders | undefined) => boolean,
    what: string,
  ): Promise<void> {
    const look = async () => (await leadersEverywhere(topic)).every(holds)
    await pollUntil(look, { deadlineMs: SPREAD_TIMEOUT_MS, what }).catch((error: unknown) => {
      throw hasCode(error, 'kit.timeout') ? unavailable(what, error) : error
    })
  }

  return {
    async create(spec) {
      const outcome = await createOnce(calls, spec)
      await untilEverywhere(spec.topic, hasLeaders, 'show a new topic')
      return outcome
    },

    async delete(topic) {
      const outcome = await deleteOnce(calls, topic)
      internalsOf(kafka).deletedTopics.announce(topic)
      await untilEverywhere(topic, (leaders) => leaders === undefined, 'remove a topic')
      return outcome
    },

    async exists(topic) {
      return (await leadersEverywhere(topic)).some((known) => known !== undefined)
    },

    isEmpty: (topic) =>
      calls.run('read offsets', async (cluster) => {
        const earliest = await topicCalls.earliestOffsets(cluster, topic)
        const ends = await topicCalls.endOffsets(cluster, topic, 'read_uncommitted')
        return ends.every((end, partition) => end === earliest[partition])
      }),

    partitionCount: (topic) =>
      calls.run('describe a topic', async (cluster) => {
        return (await topicCalls.findLeaders(cluster, topic))?.length
      }),
  }
}

const createOnce = (calls: BrokerCalls, spec: TopicSpec): Promise<'created' | 'exists'> =>
  calls.runOnce('create a topic', async (cluster) => {
    const broker = await cluster.findControllerBroker()
    return unlessProtocol('TOPIC_ALREADY_EXISTS', 'exists' as const, async () => {
      await broker.createTopics({ topics: [toRequest(spec)], timeout: REQUEST_TIMEOUT_MS })
      return 'created' as const
    })
  })

const deleteOnce = (calls: BrokerCalls, topic: string): Promise<'deleted' | 'absent'> =>
  calls.run('delete a topic', async (cluster) => {
    const broker = await cluster.findControllerBroker()
    return unlessProtocol('UNKNOWN_TOPIC_OR_PARTITION', 'absent' as const, async () => {
      await broker.deleteTopics({ topics: [topic], timeout: REQUEST_TIMEOUT_MS })
      return 'deleted' as const
    })
  })

function toRequest({ topic, partitions, replicationFactor, config = {} }: TopicSpec) {
  return {
    topic,
    numPartitions: partitions,
    replicationFactor: replicationFactor ?? BROKERS_DEFAULT,
    configEntries: entriesOf(config),
  }
}

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
