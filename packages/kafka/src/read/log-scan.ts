// Reads a topic's only partition as it is stored on its leader's disk, to find out which records still exist there.
// Aborted records count, too, and so do records that a later record of the same key replaces.

import { createBrokerCalls } from '../connect/broker-calls.ts'
import { readRawStep } from './committed-range.ts'
import type { Kafka } from '../connect/internals.ts'
import { earliestOffsets, endOffsets, needPartitions } from '../connect/topic-calls.ts'
import { KafkaError } from '../errors.ts'

type RawRecord = {
  readonly key: string
  readonly value: Buffer | null
  readonly offset: bigint
}

export type LogScan = {
  /**
   * Passes each record in order up to the current end. Returns this end and the partition's leader. Throws KafkaError
   * `kafka.unavailable`, or `kafka.moved` if the leader changed.
   */
  scan(
    topic: string,
    onRecord: (record: RawRecord) => void,
  ): Promise<{ readonly to: bigint; readonly leader: number }>
  close(): Promise<void>
}

const partition = 0

export function createLogScan(kafka: Kafka): LogScan {
  const calls = createBrokerCalls(kafka)
  const leaderOf = (topic: string) =>
    calls.run('describe a topic', async (brokers) => {
      const leaders = await needPartitions(brokers, topic)
      return leaders.find((one) => one.partition === partition)?.leader ?? -1
    })
  const spanOf = (topic: string) =>
    calls.run('read offsets', async (brokers) => {
      const [from = 0n] = await earliestOffsets(brokers, topic)
      const [to = 0n] = await endOffsets(brokers, topic, 'read_uncommitted')
      return { from, to }
    })

  return {
    async scan(topic, onRecord) {
      const leader = await leaderOf(topic)
      const { from, to } = await spanOf(topic)
      for (let at = from; at < to;) {
        const step = { topic, partition, from: at, to }
        const { records, next } = await calls.run('read a topic', (brokers) =>
          readRawStep(brokers, step),
        )
        for (const { key, value, offset } of records)
          onRecord({ key: key?.toString('utf8') ?? '', value, offset })
        at = next
      }
      if ((await leaderOf(topic)) !== leader)
        throw new KafkaError('kafka.moved', `${topic} has another leader than before`)
      return { to, leader }
    },
    close: () => calls.close(),
  }
}
