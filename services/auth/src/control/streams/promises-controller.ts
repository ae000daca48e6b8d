// The topics whose Kafka settings are checked, and the interval of the checks.
import { topicsOf } from './stream-topics.ts'
import { pinsOf } from './topic-pins.ts'
import type { TopicPins } from './topic-pins.ts'
import { controlPins } from '../control-topics.ts'
import { createKafkaPromises } from './kafka-promises.ts'
import type { KafkaPromises } from './kafka-promises.ts'
import type { Reconciler } from '../reconcile-loop.ts'
import type { Config } from '../../config.ts'
import type { Admin } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { StateFollower } from '@weir/control-state'

/** Short, so that corrections are detected soon. */
const brokenEveryMs = 10_000
const keptEveryMs = 600_000

type Parts = {
  readonly config: Pick<Config, 'KAFKA_PREFIX' | 'KAFKA_REQUIRE_DURABLE' | 'TOPIC_REPLICATION'>
  readonly admin: Pick<Admin, 'configs'>
  readonly follower: Pick<StateFollower, 'tables'>
  readonly log: Log
}

export function promisesOf({ config, admin, follower, log }: Parts): KafkaPromises {
  return createKafkaPromises({
    configs: admin.configs,
    log,
    topics: () => new Map([...controlPins, ...streamTopics(follower)]),
    topicReplication: config.TOPIC_REPLICATION,
    kafkaPrefix: config.KAFKA_PREFIX,
    isRequired: config.KAFKA_REQUIRE_DURABLE,
  })
}

const streamTopics = ({ tables }: Parts['follower']): [string, TopicPins][] =>
  [...tables.streams()]
    .filter(({ state }) => state === 'ready')
    .flatMap((stream) =>
      topicsOf(stream).map((topic): [string, TopicPins] => [topic, pinsOf(stream)]),
    )

export const promisesReconciler = (promises: KafkaPromises): Reconciler => ({
  name: 'promises of Kafka',
  async run() {
    await promises.check()
    return promises.notReady().length === 0 ? keptEveryMs : brokenEveryMs
  },
})
