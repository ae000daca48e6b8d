// Describes topics and brokers: a topic's replication, its effective configuration, and the settings of the topic
// itself.
import { ConfigResourceTypes, ConfigSources, describeConfigsV4 } from '#client-library'

import type { KafkaBrokers } from '../connect/broker-calls.ts'
import { answerWithFaults } from '../connect/cluster-state.ts'
import { requestOf } from '../connect/requests.ts'
import type { BrokerRequest } from '../connect/requests.ts'

export type ConfigEntries = Readonly<Record<string, string>>

export type TopicSettings = {
  /** The number of replicas of the partition that has the fewest. */
  readonly replication: number
  /** The effective settings, whatever their source. */
  readonly config: ConfigEntries
  /** The settings that were set on the topic itself. */
  readonly own: ConfigEntries
}

type Answer = describeConfigsV4.DescribeConfigsResponse
type Config = describeConfigsV4.DescribeConfigsResponseConfig

const TOPICS_AT_ONCE = 50

/** Topics that don't exist are left out. */
export async function describeTopics(
  brokers: KafkaBrokers,
  topics: readonly string[],
): Promise<Map<string, TopicSettings>> {
  const found = new Map<string, TopicSettings>()
  for (let from = 0; from < topics.length; from += TOPICS_AT_ONCE) {
    const slice = topics.slice(from, from + TOPICS_AT_ONCE)
    for (const [topic, settings] of await describeSlice(brokers, slice)) found.set(topic, settings)
  }
  return found
}

async function describeSlice(
  brokers: KafkaBrokers,
  asked: readonly string[],
): Promise<[string, TopicSettings][]> {
  const { topics } = await brokers.describe(asked)
  const request = configsOf('TOPIC', [...topics.keys()])
  const { results } = await brokers.ask('any', request).catch(answerWithFaults<Answer>)
  const known = results.filter(({ errorCode }) => errorCode === 0)
  return known.map(({ resourceName: topic, configs: config }) => {
    const partitions = topics.get(topic)?.partitions ?? []
    const replication = Math.min(...partitions.map(({ replicas }) => replicas.length))
    return [topic, { replication, config: settingsOf(config), own: ownOf(config) }]
  })
}

/** Returns whether every broker shows exactly these settings as the topic's own. */
export async function isShown(
  brokers: KafkaBrokers,
  topic: string,
  wanted: ConfigEntries,
): Promise<boolean> {
  const { brokers: ids } = await brokers.describe([])
  const answers = await Promise.all(ids.map((id) => brokers.ask(id, configsOf('TOPIC', [topic]))))
  return answers.every(({ results }) => {
    const own = ownOf(results.flatMap(({ configs }) => configs))
    const names = new Set([...Object.keys(own), ...Object.keys(wanted)])
    return [...names].every((name) => own[name] === wanted[name])
  })
}

/** Returns the configuration by broker id. Each broker describes itself. */
export async function describeBrokers(brokers: KafkaBrokers): Promise<Map<string, ConfigEntries>> {
  const found = new Map<string, ConfigEntries>()
  for (const id of (await brokers.describe([])).brokers) {
    const { results } = await brokers.ask(id, configsOf('BROKER', [String(id)]))
    found.set(String(id), settingsOf(results.flatMap(({ configs }) => configs)))
  }
  return found
}

const ownOf = (config: readonly Config[]): ConfigEntries =>
  settingsOf(
    config.filter(({ configSource }) => configSource === ConfigSources.DYNAMIC_TOPIC_CONFIG),
  )

function configsOf(type: 'TOPIC' | 'BROKER', names: readonly string[]): BrokerRequest<Answer> {
  const resources = names.map((resourceName) => ({
    resourceType: ConfigResourceTypes[type],
    resourceName,
    configurationKeys: null,
  }))
  return requestOf(describeConfigsV4.api, resources)
}

function settingsOf(configs: readonly Config[]): ConfigEntries {
  const settings: Record<string, string> = {}
  for (const { name, value } of configs) if (typeof value === 'string') settings[name] = value
  return settings
}
