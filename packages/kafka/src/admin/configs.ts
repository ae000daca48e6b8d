// Reads the configuration of topics and brokers, and sets that of topics.
import { ConfigResourceTypes, alterConfigsV2 } from '#client-library'

import { hasCode, pollUntil } from '@weir/kit'

import type { BrokerCalls } from '../connect/broker-calls.ts'
import { requestOf } from '../connect/requests.ts'
import { describeBrokers, describeTopics, isShown } from './topic-settings.ts'
import type { ConfigEntries, TopicSettings } from './topic-settings.ts'
import { KafkaError } from '../errors.ts'

const SHOWN_WITHIN_MS = 5_000

export type Configs = {
  /** Throws KafkaError `kafka.not_found` if the topic doesn't exist. */
  topic(topic: string): Promise<ConfigEntries>
  /** Topics that don't exist are left out. */
  topics(topics: readonly string[]): Promise<ReadonlyMap<string, TopicSettings>>
  /**
   * Sets all of the topic's own settings. Settings that `config` doesn't contain return to the broker's default.
   * Resolves once every broker shows the settings, or after a few seconds, because another client may have changed them
   * since.
   */
  setTopic(topic: string, config: ConfigEntries): Promise<void>
  /** Returns the brokers' configuration by broker id. */
  brokers(): Promise<ReadonlyMap<string, ConfigEntries>>
}

export function createConfigs(calls: BrokerCalls): Configs {
  const describe = (topics: readonly string[]) =>
    calls.run('read the settings of topics', (brokers) => describeTopics(brokers, topics))
  return {
    async topic(topic) {
      const found = (await describe([topic])).get(topic)
      if (!found) throw new KafkaError('kafka.not_found', `there is no topic ${topic}`)
      return found.config
    },
    topics: describe,
    async setTopic(topic, config) {
      await calls.run('change the settings of a topic', async (brokers) => {
        const named = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic }
        const resources = [{ ...named, configs: entriesOf(config) }]
        await brokers.ask('controller', requestOf(alterConfigsV2.api, resources, false))
      })
      const look = () =>
        calls.run('read the settings of topics', (brokers) => isShown(brokers, topic, config))
      await pollUntil(look, { deadlineMs: SHOWN_WITHIN_MS, everyMs: 20 }).catch(
        (error: unknown) => {
          if (!hasCode(error, 'kit.timeout')) throw error
        },
      )
    },
    brokers: () => calls.run('read the settings of brokers', describeBrokers),
  }
}

export const entriesOf = (config: ConfigEntries) =>
  Object.entries(config).map(([name, value]) => ({ name, value }))
