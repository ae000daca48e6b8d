// The queue of one partition. Records stay in the order of their sends. At most one batch is in flight, and records
// that arrive meanwhile form the next batch. This file limits the size of batches, and ensures that no record is sent
// after its time-out. Callers pass the time.
import type { WireBatch } from './batch.ts'
import type { Waiter } from './types.ts'
import { createLogWriter } from './writer.ts'
import type { LogWriter } from './writer.ts'
import type { Compression } from '../protocol/compress.ts'
import type { ProduceRecord, SizedRecord } from '../protocol/record-batch.ts'

/** A send without an outcome yet. */
export type PendingRecord = SizedRecord & {
  readonly record: ProduceRecord
  readonly deadlineMs: number
  readonly waiter: Waiter
}

export type LaneBatch = Omit<WireBatch, 'records'> & {
  readonly records: PendingRecord[]
  readonly writer: LogWriter
}

/** Partitions that share a limit, with the bytes of their records that are queued or in flight. */
export type Party = { bytes: number }

export type Lane = {
  readonly topic: string
  readonly partition: number
  readonly party: Party
  readonly patienceMs: number
  readonly compression: Compression
  readonly writer: LogWriter
  queue: PendingRecord[]
  batch: LaneBatch | undefined
  /** The bytes of all records that are queued or in flight. */
  bytes: number
  /** Smaller than configured after the topic has refused a batch for its size. */
  batchBytesMax: number
  isReady: boolean
}

type LaneOptions = {
  readonly party: Party
  readonly batchBytesMax: number
  readonly patienceMs: number
  readonly compression: Compression
}

export function createLane(
  topic: string,
  partition: number,
  { party, batchBytesMax, patienceMs, compression }: LaneOptions,
): Lane {
  return {
    topic,
    partition,
    party,
    patienceMs,
    compression,
    writer: createLogWriter(),
    queue: [],
    batch: undefined,
    bytes: 0,
    batchBytesMax,
    isReady: false,
  }
}

// A record's overhead in addition to its body, in the batch and in memory.
const RECORD_OVERHEAD_BYTES = 24
const BATCH_OVERHEAD_BYTES = 512

export function recordBytes(record: SizedRecord): number {
  return record.bodyBytes + RECORD_OVERHEAD_BYTES
}

/**
 * Removes the next batch from the queue. It has at least one record, however large. Returns undefined if the queue is
 * empty.
 */
export function takeBatch(lane: Lane, bytesMax = Infinity): LaneBatch | undefined {
  const { queue, topic, partition } = lane
  if (queue.length === 0) return undefined
  const limit = Math.min(lane.batchBytesMax, bytesMax)
  let bytes = 0
  let count = 0
  for (const record of queue) {
    const withIt = bytes + recordBytes(record)
    if (count > 0 && withIt + BATCH_OVERHEAD_BYTES > limit) break
    bytes = withIt
    count++
  }
  const records = count === queue.length ? queue : queue.splice(0, count)
  if (records === queue) lane.queue = []
  const batch: LaneBatch = {
    topic,
    partition,
    records,
    bytes,
    patienceMs: lane.patienceMs,
    compression: lane.compression,
    writer: lane.writer,
    answered: 0,
    maySendAgain: true,
    producer: undefined,
    from: undefined,
    isDoubtful: false,
    topicId: undefined,
    trouble: undefined,
  }
  lane.batch = batch
  return batch
}

/** Puts the records of a batch that was refused for its size back into the queue, to be sent in halves. */
export function putBackInHalves(lane: Lane, batch: LaneBatch): void {
  lane.batchBytesMax = Math.floor(Math.min(batch.bytes, lane.batchBytesMax) / 2)
  lane.queue = batch.records.slice(batch.answered).concat(lane.queue)
}

/** From index `from`, rejects records until one has a deadline after `untilMs`. Returns that record's index. */
function rejectExpired(
  records: readonly PendingRecord[],
  from: number,
  untilMs: number,
  error: Error,
): number {
  let i = from
  for (; i < records.length; i++) {
    const record = records[i]
    if (record === undefined || record.deadlineMs > untilMs) break
    record.waiter.reject(error)
  }
  return i
}

/** Removes the expired records from the queue and returns their bytes. */
export function expireQueue(lane: Lane, untilMs: number, error: Error): number {
  const count = rejectExpired(lane.queue, 0, untilMs, error)
  if (count === 0) return 0
  return lane.queue.splice(0, count).reduce((sum, record) => sum + recordBytes(record), 0)
}

export function expireBatch(batch: LaneBatch, untilMs: number, error: Error): void {
  batch.answered = rejectExpired(batch.records, batch.answered, untilMs, error)
}

export function resolveAll(batch: LaneBatch): void {
  for (let i = batch.answered; i < batch.records.length; i++) batch.records[i]?.waiter.resolve()
  batch.answered = batch.records.length
}

export function rejectAll(batch: LaneBatch, error: Error): void {
  for (let i = batch.answered; i < batch.records.length; i++) batch.records[i]?.waiter.reject(error)
  batch.answered = batch.records.length
}
