// Creates, deletes and inspects topics. Callers must check whether a topic may be deleted. Nothing is cached.
import { createTopicsV5, deleteTopicsV4 } from '#client-library'

import { hasCode, pollUntil } from '@weir/kit'

import type { BrokerCalls, KafkaBrokers } from '../connect/broker-calls.ts'
import { protocolTypeOf, brokerUnavailable } from '../connect/faults.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { requestOf } from '../connect/requests.ts'
import { firstUncommitted } from '../read/committed-range.ts'
import { entriesOf } from './configs.ts'
import * as topicCalls from '../connect/topic-calls.ts'

export type TopicSpec = {
  readonly topic: string
  readonly partitions: number
  /** The broker's default if left out. */
  readonly replicationFactor?: number | undefined
  readonly config?: Readonly<Record<string, string>>
}

export type TopicAdmin = {
  /** Resolves once every broker has the topic. `exists` means that the topic existed before. */
  create(spec: TopicSpec): Promise<'created' | 'exists'>
  /** Resolves once no broker shows the topic any more. Informs the producers of this handle. */
  delete(topic: string): Promise<'deleted' | 'absent'>
  exists(topic: string): Promise<boolean>
  /** Returns true if no partition contains a record. Records of open or aborted transactions count, markers don't. */
  isEmpty(topic: string): Promise<boolean>
  partitionCount(topic: string): Promise<number | undefined>
}

const BROKERS_DEFAULT = -1
// createTopicsV5 and deleteTopicsV4: a quota on topic changes only delays the response. With later versions, it causes
// a refusal.
const REQUEST_TIMEOUT_MS = 10_000
const SPREAD_TIMEOUT_MS = 15_000

export function createTopics(kafka: Kafka, calls: BrokerCalls): TopicAdmin {
  const partitionsEverywhere = (topic: string) =>
    calls.run('describe a topic', (brokers) => topicCalls.findPartitionsEverywhere(brokers, topic))

  async function untilEverywhere(
    topic: string,
    holds: (partitions: topicCalls.Partitions | undefined) => boolean,
    what: string,
  ): Promise<void> {
    const look = async () => (await partitionsEverywhere(topic)).every(holds)
    await pollUntil(look, { deadlineMs: SPREAD_TIMEOUT_MS, what }).catch((error: unknown) => {
      throw hasCode(error, 'kit.timeout') ? brokerUnavailable(what, error) : error
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
      await untilEverywhere(topic, (partitions) => partitions === undefined, 'remove a topic')
      return outcome
    },

    async exists(topic) {
      return (await partitionsEverywhere(topic)).some((known) => known !== undefined)
    },

    isEmpty: (topic) => calls.run('look for records', (brokers) => isEmpty(brokers, topic)),

    partitionCount: (topic) =>
      calls.run('describe a topic', async (brokers) => {
        return (await topicCalls.findPartitions(brokers, topic))?.length
      }),
  }
}

const createOnce = (calls: BrokerCalls, spec: TopicSpec): Promise<'created' | 'exists'> =>
  calls.runOnce('create a topic', (brokers) =>
    unlessProtocol('TOPIC_ALREADY_EXISTS', 'exists' as const, async () => {
      const topics = [toRequest(spec)]
      await brokers.ask(
        'controller',
        requestOf(createTopicsV5.api, topics, REQUEST_TIMEOUT_MS, false),
      )
      return 'created' as const
    }),
  )

const deleteOnce = (calls: BrokerCalls, topic: string): Promise<'deleted' | 'absent'> =>
  calls.run('delete a topic', (brokers) =>
    unlessProtocol('UNKNOWN_TOPIC_OR_PARTITION', 'absent' as const, async () => {
      const topics = [{ name: topic }]
      await brokers.ask('controller', requestOf(deleteTopicsV4.api, topics, REQUEST_TIMEOUT_MS))
      return 'deleted' as const
    }),
  )

async function isEmpty(brokers: KafkaBrokers, topic: string): Promise<boolean> {
  const earliest = await topicCalls.earliestOffsets(brokers, topic)
  const ends = await topicCalls.endOffsets(brokers, topic, 'read_uncommitted')
  for (const [partition, to] of ends.entries()) {
    const range = { topic, partition, from: earliest[partition] ?? 0n, to }
    if ((await firstUncommitted(brokers, range)) !== undefined) return false
  }
  return true
}

function toRequest({ topic, partitions, replicationFactor, config = {} }: TopicSpec) {
  return {
    name: topic,
    numPartitions: partitions,
    replicationFactor: replicationFactor ?? BROKERS_DEFAULT,
    assignments: [],
    configs: entriesOf(config),
  }
}

function hasLeaders(partitions: topicCalls.Partitions | undefined): boolean {
  return partitions !== undefined && partitions.every(({ leader }) => leader !== undefined)
}

async function unlessProtocol<T, U>(type: string, instead: U, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    if (protocolTypeOf(error) === type) return instead
    throw error
  }
}
