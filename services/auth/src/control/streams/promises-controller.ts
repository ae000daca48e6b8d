// Which topics Kafka's promises are looked at for, and how often.
import { deadLetterTopicOf, topicOf } from '@weir/control-state'
import { streamPins } from './topic-pins.ts'
import type { Pins } from './topic-pins.ts'
import { controlPins } from '../bootstrap.ts'
import { createKafkaPromises } from './kafka-promises.ts'
import type { KafkaPromises } from './kafka-promises.ts'
import type { Reconciler } from '../reconcile-loop.ts'
import type { ControllerParts } from '../controller.ts'

/** What was put right is seen soon. */
const brokenEveryMs = 10_000
const keptEveryMs = 600_000

type Parts = Pick<ControllerParts, 'config' | 'admin' | 'follower' | 'log'>

export function promisesOf({ config, admin, follower, log }: Parts): KafkaPromises {
  return createKafkaPromises({
    admin,
    log,
    topics: () => new Map([...controlPins, ...streamTopics(follower)]),
    topicReplication: config.TOPIC_REPLICATION,
    isRequired: config.KAFKA_REQUIRE_DURABLE,
  })
}

const streamTopics = ({ tables }: Parts['follower']): [string, Pins][] =>
  [...tables.streams()]
    .filter(({ state }) => state === 'ready')
    .flatMap((stream) =>
      stream.kind === 'derived' ? [topicOf(stream), deadLetterTopicOf(stream)] : [topicOf(stream)],
    )
    .map((topic) => [topic, streamPins])

export const promisesReconciler = (promises: KafkaPromises): Reconciler => ({
  name: 'promises of Kafka',
  async run() {
    await promises.check()
    return promises.notReady().length === 0 ? keptEveryMs : brokenEveryMs
  },
})
