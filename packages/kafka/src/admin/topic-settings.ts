// What topics and brokers are set to: on how many brokers a topic lies, what holds for it, and which of that was set on
// the topic itself. For whoever checks what Kafka promises; it changes nothing.
import type { Broker } from 'kafkajs/src/broker/index.js'
import type Cluster from 'kafkajs/src/cluster/index.js'

import { isFromBroker } from '../connect/faults.ts'

export type ConfigEntries = Readonly<Record<string, string>>

export type TopicSettings = {
  /** Of the partition with the fewest. */
  readonly replication: number
  /** What holds, wherever it comes from. */
  readonly config: ConfigEntries
  /** Those of them that the topic has of its own. */
  readonly own: ConfigEntries
}

type Entries = readonly {
  readonly configName: string
  readonly configValue: string | null
  readonly configSource?: number
}[]

const RESOURCE = { topic: 2, broker: 4 }
/** As `config_source` says it. */
const SET_ON_TOPIC = 1
const TOPICS_AT_ONCE = 50

/** Those of the topics that there are. */
export async function describeTopics(
  cluster: Cluster,
  topics: readonly string[],
): Promise<Map<string, TopicSettings>> {
  const found = new Map<string, TopicSettings>()
  for (let from = 0; from < topics.length; from += TOPICS_AT_ONCE) {
    const slice = topics.slice(from, from + TOPICS_AT_ONCE)
    for (const [topic, settings] of await describeSlice(cluster, slice)) found.set(topic, settings)
  }
  return found
}

/** One topic that is gone fails the answer of all that were asked for with it. */
async function describeSlice(
  cluster: Cluster,
  topics: readonly string[],
): Promise<[string, TopicSettings][]> {
  const broker = await cluster.brokerPool.findConnectedBroker()
  try {
    return await describeOn(broker, topics)
  } catch (error) {
    if (!isFromBroker(error)) throw error
    if (topics.length === 1) return []
  }
  const each: [string, TopicSettings][] = []
  for (const topic of topics) each.push(...(await describeSlice(cluster, [topic])))
  return each
}

async function describeOn(
  broker: Broker,
  topics: readonly string[],
): Promise<[string, TopicSettings][]> {
  const { topicMetadata } = await broker.metadata([...topics])
  const replications = new Map(
    topicMetadata.map(({ topic, partitionMetadata }) => [
      topic,
      Math.min(...partitionMetadata.map(({ replicas }) => replicas.length)),
    ]),
  )
  const asked = topics.map((name) => ({ type: RESOURCE.topic, name, configNames: [] }))
  const { resources } = await broker.describeConfigs({ resources: asked })
  return resources.map(({ resourceName, configEntries }) => [
    resourceName,
    {
      replication: replications.get(resourceName) ?? 0,
      config: settingsOf(configEntries),
      own: settingsOf(configEntries.filter((entry) => entry.configSource === SET_ON_TOPIC)),
    },
  ])
}

/** By the broker's id: each is asked about itself. */
export async function describeBrokers(cluster: Cluster): Promise<Map<string, ConfigEntries>> {
  await cluster.refreshMetadata()
  const found = new Map<string, ConfigEntries>()
  for (const nodeId of cluster.getNodeIds()) {
    const broker = await cluster.findBroker({ nodeId })
    const resource = { type: RESOURCE.broker, name: String(nodeId), configNames: [] }
    const { resources } = await broker.describeConfigs({ resources: [resource] })
    found.set(String(nodeId), settingsOf(resources.flatMap(({ configEntries }) => configEntries)))
  }
  return found
}

function settingsOf(entries: Entries): ConfigEntries {
  const settings: Record<string, string> = {}
  for (const { configName, configValue } of entries)
    if (configValue !== null) settings[configName] = configValue
  return settings
}
