// Asks the brokers where each partition's log begins and ends, and deletes its oldest records. Nothing is cached.
import type { BrokerCalls } from '../connect/broker-calls.ts'
import * as topicCalls from '../connect/topic-calls.ts'
import type { Isolation } from '../connect/topic-calls.ts'

export type LogOffsets = {
  earliest(topic: string): Promise<bigint[]>
  /** Returns, by partition, one past the last offset that a reader with this isolation may see. */
  ends(topic: string, options: { isolation: Isolation }): Promise<bigint[]>
  /**
   * Returns, by partition, the offset of the first record with this timestamp or a later one, or the log end if there
   * is none.
   */
  at(topic: string, timestampMs: number): Promise<bigint[]>
  /**
   * Resolves once no reader gets a record before these offsets, one per partition. Brokers free the disk space later,
   * when they delete whole segments. Throws KafkaError `kafka.refused` if an offset is beyond the end.
   */
  deleteBefore(topic: string, before: readonly bigint[]): Promise<void>
}

export function createLogOffsets(calls: BrokerCalls): LogOffsets {
  return {
    earliest: (topic) =>
      calls.run('read offsets', (brokers) => topicCalls.earliestOffsets(brokers, topic)),
    ends: (topic, { isolation }) =>
      calls.run('read offsets', (brokers) => topicCalls.endOffsets(brokers, topic, isolation)),
    at: (topic, timestampMs) =>
      calls.run('read offsets', (brokers) => topicCalls.offsetsAt(brokers, topic, timestampMs)),
    deleteBefore: (topic, before) =>
      calls.run('delete records', (brokers) => topicCalls.deleteBefore(brokers, topic, before)),
  }
}
