// Where a topic's log begins and ends, by partition, fresh from the brokers.
import type { BrokerCalls } from '../protocol/broker-calls.ts'
import * as topicCalls from './topic-calls.ts'
import type { Isolation } from './topic-calls.ts'

export type Offsets = {
  earliest(topic: string): Promise<bigint[]>
  /** One past the last offset that a reader of this isolation may see. */
  ends(topic: string, options: { isolation: Isolation }): Promise<bigint[]>
  /** The first offset of each partition that was written at or after a time; the end where none was. */
  at(topic: string, timestampMs: number): Promise<bigint[]>
}

export function createOffsets(calls: BrokerCalls): Offsets {
  return {
    earliest: (topic) =>
      calls.run('read offsets', (cluster) => topicCalls.earliestOffsets(cluster, topic)),
    ends: (topic, { isolation }) =>
      calls.run('read offsets', (cluster) => topicCalls.endOffsets(cluster, topic, isolation)),
    at: (topic, timestampMs) =>
      calls.run('read offsets', (cluster) => topicCalls.offsetsAt(cluster, topic, timestampMs)),
  }
}
