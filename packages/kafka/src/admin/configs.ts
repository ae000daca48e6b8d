// What topics and brokers are set to, read from the brokers and, for topics, set.
import { ConfigResourceTypes, alterConfigsV2 } from '#client-library'

import { hasCode, pollUntil } from '@weir/kit'

import type { BrokerCalls } from '../connect/broker-calls.ts'
import { requestOf } from '../connect/requests.ts'
import { describeBrokers, describeTopics, isShown } from './topic-settings.ts'
import type { ConfigEntries, TopicSettings } from './topic-settings.ts'
import { KafkaError } from '../errors.ts'

const SHOWN_WITHIN_MS = 5_000

export type Configs = {
  /** KafkaError `kafka.not_found` where there is no such topic. */
  topic(topic: string): Promise<ConfigEntries>
  /** Of those that there are. */
  topics(topics: readonly string[]): Promise<ReadonlyMap<string, TopicSettings>>
  /**
   * All settings of the topic's own: what isn't named goes back to the broker's default. Resolves once every broker shows them, or after
   * some seconds: somebody may have set others since.
   */
  setTopic(topic: string, config: ConfigEntries): Promise<void>
  /** Each broker's, by its id. */
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
