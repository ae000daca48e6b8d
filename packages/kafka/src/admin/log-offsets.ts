// Where a topic's log begins and ends, by partition, fresh from the brokers.
import type { BrokerCalls } from '../connect/broker-calls.ts'
import * as topicCalls from './topic-calls.ts'
import type { Isolation } from './topic-calls.ts'

export type LogOffsets = {
  earliest(topic: string): Promise<bigint[]>
  /** One past the last offset that a reader of this isolation may see. */
  ends(topic: string, options: { isolation: Isolation }): Promise<bigint[]>
  /** The first offset of each partition that was written at or after a time; the end where none was. */
  at(topic: string, timestampMs: number): Promise<bigint[]>
}

export function createLogOffsets(calls: BrokerCalls): LogOffsets {
  return {
    earliest: (topic) =>
      calls.run('read offsets', (brokers) => topicCalls.earliestOffsets(brokers, topic)),
    ends: (topic, { isolation }) =>
      calls.run('read offsets', (brokers) => topicCalls.endOffsets(brokers, topic, isolation)),
    at: (topic, timestampMs) =>
      calls.run('read offsets', (brokers) => topicCalls.offsetsAt(brokers, topic, timestampMs)),
  }
}
