// The state of a transactional producer: its identity, the partitions of its transaction, and its sequence number in
// each partition. A session can't be used after an error.
import { endOffsetsOf } from '../connect/topic-calls.ts'
import type { KafkaBrokers } from '../connect/broker-calls.ts'
import type { AddressedRecord } from '../protocol/out-record.ts'
import { partitionOf } from '../protocol/partition-of.ts'
import { batchBytesMaxOf, bodyBytesOf } from '../protocol/record-batch.ts'
import type { SizedRecord } from '../protocol/record-batch.ts'
import { createPartitionLeaders } from './partition-leaders.ts'
import type { PartitionLeaders } from './partition-leaders.ts'
import { createTransactionRequests } from './transaction-requests.ts'
import type { TopicPartitions } from './transaction-requests.ts'

/** The first offset of the latest batch in the current transaction, by topic and partition. */
export type Written = ReadonlyMap<string, ReadonlyMap<number, bigint>>

export type TransactionSession = {
  send(records: readonly AddressedRecord[]): Promise<void>
  written(): Written
  /** Returns the ends for read_committed readers, by partition. */
  ends(topic: string, partitions: readonly number[]): Promise<ReadonlyMap<number, bigint>>
  /** An empty transaction ends without a request. The next transaction may begin immediately. */
  end(isCommit: boolean): Promise<void>
}

/** Like `Written`, with -1 before the first record. */
type InTransaction = Map<string, Map<number, bigint>>
type Lane = { topic: string; partition: number; batches: SizedRecord[][]; bytes: number }

const SEQUENCE_MAX = 0x7fffffff
/** The topic's `max.message.bytes` limits the size of a batch. */
const BATCH_BYTES_MAX = 900_000

export async function openSession(
  brokers: KafkaBrokers,
  transactionalId: string,
  timeoutMs: number,
): Promise<TransactionSession> {
  const leaders = createPartitionLeaders(brokers)
  const requests = createTransactionRequests(brokers, leaders)
  const identity = await requests.init(transactionalId, timeoutMs)
  const sequences = new Map<string, number>()
  let written: InTransaction = new Map()
  // While the coordinator adds partitions, it refuses to add other partitions.
  let adding: Promise<void> = Promise.resolve()

  async function produce({ topic, partition, batches }: Lane): Promise<void> {
    const lane = `${topic}/${partition}`
    for (const records of batches) {
      const sequence = takeSequence(sequences, lane, records.length)
      const offset = await requests.produce(identity, { topic, partition, sequence, records })
      written.get(topic)?.set(partition, offset)
    }
  }

  return {
    async send(records) {
      await leaders.learn([...new Set(records.map(({ topic }) => topic))])
      const lanes = lanesOf(leaders, records)
      const added = include(written, lanes)
      if (added.length > 0) adding = adding.then(() => requests.addPartitions(identity, added))
      await adding
      await Promise.all(lanes.map(produce))
    },
    written: () => written,
    ends(topic, partitions) {
      const led = partitions.map((partition) => leaders.partition(topic, partition))
      return endOffsetsOf(brokers, topic, led)
    },
    async end(isCommit) {
      const isEmpty = written.size === 0
      written = new Map()
      if (!isEmpty) await requests.end(identity, isCommit)
    },
  }
}

/** Returns the partitions that the transaction doesn't include yet, and marks them as included. */
function include(written: InTransaction, lanes: readonly Lane[]): TopicPartitions[] {
  const added: TopicPartitions[] = []
  for (const { topic, partition } of lanes) {
    const known = written.get(topic) ?? new Map<number, bigint>()
    written.set(topic, known)
    if (known.has(partition)) continue
    known.set(partition, -1n)
    added.push({ topic, partitions: [partition] })
  }
  return added
}

function lanesOf(leaders: PartitionLeaders, records: readonly AddressedRecord[]): Lane[] {
  const nowMs = Date.now()
  const lanes = new Map<string, Lane>()
  for (const record of records) {
    const { topic } = record
    const partition = record.partition ?? partitionFor(leaders, record)
    const name = `${topic}/${partition}`
    const lane = lanes.get(name) ?? { topic, partition, batches: [], bytes: 0 }
    lanes.set(name, lane)
    put(lane, sized(record, nowMs))
  }
  return [...lanes.values()]
}

function sized(record: AddressedRecord, nowMs: number): SizedRecord {
  const { key, value, headers = {}, timestampMs = nowMs } = record
  const complete = { key, value, headers, timestampMs }
  return { record: complete, bodyBytes: bodyBytesOf(complete) }
}

function put(lane: Lane, record: SizedRecord): void {
  const bytes = batchBytesMaxOf([record], 0)
  const last = lane.batches.at(-1)
  const isFull = last === undefined || lane.bytes + bytes > BATCH_BYTES_MAX
  if (isFull) lane.batches.push([record])
  else last.push(record)
  lane.bytes = isFull ? bytes : lane.bytes + bytes
}

function partitionFor(leaders: PartitionLeaders, { topic, key }: AddressedRecord): number {
  return key === null ? 0 : partitionOf(key, leaders.partitionsOf(topic).length)
}

/**
 * Returns the sequence number of the partition's next record, and advances it. As in Kafka, 0 follows the largest
 * number.
 */
function takeSequence(sequences: Map<string, number>, lane: string, records: number): number {
  const sequence = sequences.get(lane) ?? 0
  const room = SEQUENCE_MAX - sequence
  sequences.set(lane, records <= room ? sequence + records : records - room - 1)
  return sequence
}
