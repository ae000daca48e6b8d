// Looks through one partition as it lies on its leader's disk, for whoever wants to know what can still be read
// there: every record from the first offset on, also those that were aborted or replaced long ago.

import { createBrokerCalls } from '../protocol/broker-calls.ts'
import { readRawStep } from './committed-range.ts'
import type { RawRecord } from './committed-range.ts'
import type { Kafka } from '../connect/internals.ts'
import { earliestOffsets, endOffsets, needLeaders } from '../admin/topic-calls.ts'
import { KafkaError } from '../errors.ts'

export type LogScan = {
  /**
   * Tells each record in order, up to the end as it is now, and then how far that was and which broker led the
   * partition. Throws KafkaError `kafka.unavailable`, `moved` when another one has come to lead it.
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
    calls.run('describe a topic', async (cluster) => {
      const leaders = await needLeaders(cluster, topic)
      return leaders.find((one) => one.partition === partition)?.leader ?? -1
    })
  const spanOf = (topic: string) =>
    calls.run('read offsets', async (cluster) => {
      const [from = 0n] = await earliestOffsets(cluster, topic)
      const [to = 0n] = await endOffsets(cluster, topic, 'read_uncommitted')
      return { from, to }
    })

  return {
    async scan(topic, onRecord) {
      const leader = await leaderOf(topic)
      const { from, to } = await spanOf(topic)
      for (let at = from; at < to;) {
        const step = { topic, partition, from: at, to }
        const { records, next } = await calls.run('read a topic', (cluster) =>
          readRawStep(cluster, step),
        )
        for (const record of records) onRecord(record)
        at = next
      }
      if ((await leaderOf(topic)) !== leader)
        throw new KafkaError('kafka.moved', `${topic} has another leader than before`)
      return { to, leader }
    },
    close: () => calls.close(),
  }
}
