// The names in Kafka that belong to a stream (docs/wire-format.md Kafka).
import type { DerivedStream } from './records.ts'

export const topicOf = (stream: { billingId: string; name: string }): string =>
  `${stream.billingId}.${stream.name}`
/** Returns the billingId in a topic's name; `weir` for Weir's own topics. */
export const accountOfTopic = (topic: string): string => topic.slice(0, topic.indexOf('.'))
export const deadLetterTopicOf = (stream: DerivedStream): string => `${topicOf(stream)}.dead`
export const groupOf = (stream: DerivedStream): string => `weir.${stream.billingId}.${stream.name}`
/** The prefix of the output service's transactional ids. auth's ids have other prefixes, which output may not use. */
export const TRANSACTIONAL_ID_PREFIX = 'weir.derive.'
export const transactionalIdOf = (stream: DerivedStream, partition: number): string =>
  `${TRANSACTIONAL_ID_PREFIX}${topicOf(stream)}.${partition}`
