// A former owner whose transaction a test controls step by step. A broker that doesn't verify partitions with the
// coordinator accepts records that no marker will end. Kafka leaves such records when it loses a marker.
import { ConfigResourceTypes } from 'kafkajs'

import { askBrokers } from '../../src/connect/broker-calls.ts'
import { internalsOf } from '../../src/connect/internals.ts'
import type { Kafka } from '../../src/connect/internals.ts'
import { createPartitionLeaders } from '../../src/fence/partition-leaders.ts'
import { createTransactionRequests } from '../../src/fence/transaction-requests.ts'
import { bodyBytesOf } from '../../src/protocol/record-batch.ts'
import { plainKafka } from '../support.ts'

export type FormerOwner = {
  /** Adds topics to the transaction. Other topics get no marker at its end. */
  join(...topics: string[]): Promise<void>
  write(topic: string, headers: Readonly<Record<string, string>>): Promise<void>
  end(isCommit: boolean): Promise<void>
  close(): void
}

/** Uses only partition 0 of the topics. */
export async function formerOwner(kafka: Kafka, transactionalId: string): Promise<FormerOwner> {
  const { cluster } = internalsOf(kafka)
  const leave = cluster.join()
  const brokers = askBrokers(cluster, 'control', () => Infinity)
  const requests = createTransactionRequests(brokers, createPartitionLeaders(brokers))
  const me = await requests.init(transactionalId, 30_000)
  const written = new Map<string, number>()
  return {
    join: (...topics) =>
      requests.addPartitions(
        me,
        topics.map((topic) => ({ topic, partitions: [0] })),
      ),
    async write(topic, headers) {
      const record = { key: null, value: null, headers, timestampMs: Date.now() }
      const records = [{ record, bodyBytes: bodyBytesOf(record) }]
      const sequence = written.get(topic) ?? 0
      written.set(topic, sequence + 1)
      await requests.produce(me, { topic, partition: 0, sequence, records })
    },
    end: (isCommit) => requests.end(me, isCommit),
    close: leave,
  }
}

/** Sets whether brokers refuse records for partitions that weren't added to the transaction. */
export async function verifyPartitions(isVerified: boolean): Promise<void> {
  const plain = plainKafka().admin()
  await plain.connect()
  const { brokers } = await plain.describeCluster()
  const entry = { name: 'transaction.partition.verification.enable', value: `${isVerified}` }
  const resources = brokers.map(({ nodeId }) => ({
    type: ConfigResourceTypes.BROKER,
    name: String(nodeId),
    configEntries: [entry],
  }))
  await plain.alterConfigs({ validateOnly: false, resources })
  await plain.disconnect()
}
