// Caches the leaders of the partitions to which a transactional producer writes. Asks once per topic, and again after a
// leader has moved.
import { ProtocolError } from '#client-library'

import type { KafkaBrokers } from '../connect/broker-calls.ts'
import type { Partition } from '../connect/cluster-state.ts'
import { whileRefused } from './while-refused.ts'

export const LEADER_MOVED: readonly string[] = [
  'NOT_LEADER_OR_FOLLOWER',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
]

export type PartitionLeaders = {
  /** Resolves when the leaders of all these topics are known. */
  learn(topics: readonly string[]): Promise<void>
  /** Returns the partitions in order, or no partitions before `learn`. */
  partitionsOf(topic: string): readonly Partition[]
  partition(topic: string, partition: number): Partition
  forget(topic: string): void
}

export function createPartitionLeaders(brokers: KafkaBrokers): PartitionLeaders {
  const known = new Map<string, readonly Partition[]>()

  async function ask(unknown: readonly string[]): Promise<void> {
    const { topics, faults } = await brokers.describe(unknown)
    for (const topic of unknown) {
      const found = topics.get(topic)
      if (!found) throw faults.get(topic) ?? new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION')
      known.set(topic, found.partitions)
    }
  }

  const partitionsOf = (topic: string) => known.get(topic) ?? []
  return {
    async learn(topics) {
      const unknown = topics.filter((topic) => !known.has(topic))
      if (unknown.length > 0) await whileRefused(LEADER_MOVED, () => ask(unknown))
    },
    partitionsOf,
    partition(topic, partition) {
      const found = partitionsOf(topic).find((one) => one.partition === partition)
      if (found === undefined) throw new TypeError(`${topic} has no partition ${partition}`)
      return found
    },
    forget: (topic) => void known.delete(topic),
  }
}
