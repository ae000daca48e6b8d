// What a transactional producer has to remember: who it is, which partitions and groups its transaction holds
// already, and how many records each partition has got from it. A session that met an error is of no more use.
import type Cluster from 'kafkajs/src/cluster/index.js'

import type { AddressedRecord } from '../protocol/out-record.ts'
import { partitionOf } from '../protocol/partition-of.ts'
import { createTransactionRequests } from '../protocol/transaction-requests.ts'
import type { GroupOffsets, TopicPartitions } from '../protocol/transaction-requests.ts'

/** By topic and partition, an offset that the present transaction has written. */
export type Written = ReadonlyMap<string, ReadonlyMap<number, bigint>>

/** What a transaction can take in without writing anything. */
export type Joined = {
  readonly groupId: string
  readonly partitions: readonly { readonly topic: string; readonly partition: number }[]
}

export type TransactionSession = {
  join(joined: Joined): Promise<void>
  send(records: readonly AddressedRecord[]): Promise<void>
  sendOffsets(offsets: GroupOffsets): Promise<void>
  written(): Written
  /** A transaction that holds nothing ends without asking anyone. The next one may begin at once. */
  end(isCommit: boolean): Promise<void>
}

type Batch = { topic: string; partition: number; records: AddressedRecord[] }

const SEQUENCE_MAX = 0x7fffffff

export async function openSession(
  cluster: Cluster,
  transactionalId: string,
  timeoutMs: number,
): Promise<TransactionSession> {
  const requests = createTransactionRequests(cluster)
  const identity = await requests.init(transactionalId, timeoutMs)
  const sequences = new Map<string, number>()
  let written = new Map<string, Map<number, bigint>>()
  let groups = new Set<string>()
  // The coordinator takes one addition at a time, and refuses others meanwhile.
  let adding: Promise<void> = Promise.resolve()

  function inTurn(add: () => Promise<void>): Promise<void> {
    adding = adding.then(add)
    return adding
  }

  function addPartitions(batches: readonly Pick<Batch, 'topic' | 'partition'>[]): Promise<void> {
    const added: TopicPartitions[] = []
    for (const { topic, partition } of batches) {
      const known = written.get(topic) ?? new Map<number, bigint>()
      written.set(topic, known)
      if (known.has(partition)) continue
      known.set(partition, -1n)
      added.push({ topic, partitions: [partition] })
    }
    return added.length === 0 ? adding : inTurn(() => requests.addPartitions(identity, added))
  }

  async function produce({ topic, partition, records }: Batch): Promise<void> {
    const lane = `${topic}/${partition}`
    const sequence = sequences.get(lane) ?? 0
    sequences.set(lane, sequenceAfter(sequence, records.length))
    const offset = await requests.produce(identity, { topic, partition, sequence, records })
    written.get(topic)?.set(partition, offset)
  }

  function addGroup(groupId: string): Promise<void> {
    if (groups.has(groupId)) return adding
    groups.add(groupId)
    return inTurn(() => requests.addGroup(identity, groupId))
  }

  return {
    async join({ groupId, partitions }) {
      await addPartitions(partitions)
      await addGroup(groupId)
    },
    async send(records) {
      await cluster.addMultipleTargetTopics([...new Set(records.map(({ topic }) => topic))])
      await cluster.refreshMetadataIfNecessary()
      const batches = batchesOf(cluster, records)
      await addPartitions(batches)
      await Promise.all(batches.map(produce))
    },
    async sendOffsets(offsets) {
      await addGroup(offsets.groupId)
      await requests.commitOffsets(identity, offsets)
    },
    written: () => written,
    async end(isCommit) {
      const isEmpty = written.size === 0 && groups.size === 0
      written = new Map()
      groups = new Set()
      if (!isEmpty) await requests.end(identity, isCommit)
    },
  }
}

function batchesOf(cluster: Cluster, records: readonly AddressedRecord[]): Batch[] {
  const batches = new Map<string, Batch>()
  for (const record of records) {
    const { topic } = record
    const partition = record.partition ?? partitionFor(cluster, record)
    const lane = `${topic}/${partition}`
    const batch = batches.get(lane)
    if (batch) batch.records.push(record)
    else batches.set(lane, { topic, partition, records: [record] })
  }
  return [...batches.values()]
}

function partitionFor(cluster: Cluster, { topic, key }: AddressedRecord): number {
  return key === null ? 0 : partitionOf(key, cluster.findTopicPartitionMetadata(topic).length)
}

// As Kafka counts: after the largest number comes 0.
function sequenceAfter(sequence: number, records: number): number {
  const room = SEQUENCE_MAX - sequence
  return records <= room ? sequence + records : records - room - 1
}
