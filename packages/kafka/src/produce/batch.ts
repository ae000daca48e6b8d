// A batch on its way to its partition: plain state, changed by the delivery. Its rule: once a batch was written to a
// broker and its outcome is unknown, a retry sends exactly the same bytes, because a broker recognises a repeated batch
// only by its numbers.
import { batchBytesMaxOf, packBatch } from '../protocol/record-batch.ts'
import type { Compression } from '../protocol/compress.ts'
import type { BatchEntry, BatchProducerId } from '../protocol/record-batch.ts'

export type WireBatch = {
  readonly topic: string
  readonly partition: number
  readonly records: readonly BatchEntry[]
  readonly bytes: number
  /** How long a broker may take to answer before the batch is retried. */
  readonly patienceMs: number
  readonly compression: Compression
  /** The records before this index are done: records are answered in order. */
  answered: number
  /** False when its topic was deleted: another topic of the same name must not get it. */
  maySendAgain: boolean
  /** Undefined until the batch is about to be sent. */
  producer: BatchProducerId | undefined
  /** The index of the first record written; undefined while certainly none are stored. */
  from: number | undefined
  /** It was written to a broker, and its outcome is unknown. */
  isDoubtful: boolean
  /** The topic's id, once it is known. */
  topicId: string | undefined
  /** Why it isn't stored yet, for the log. */
  trouble: unknown
}

export const isOver = (batch: WireBatch): boolean => batch.answered >= batch.records.length

/** The bytes to write: the same each time, until it is certain that they aren't stored. */
export function pack(batch: WireBatch, into: Buffer): Buffer {
  batch.from ??= batch.answered
  const { records, from, producer, compression } = batch
  return packBatch(records, from, { producer, compression, into })
}

/** The room that packing needs. */
export const roomFor = ({ records, from, answered }: WireBatch): number =>
  batchBytesMaxOf(records, from ?? answered)

/** The number of records written last. */
export const countOf = ({ records, from = 0 }: WireBatch): number => records.length - from

/** Call when the batch is certainly not stored: the next attempt may have fewer records. */
export function startOver(batch: WireBatch): void {
  batch.isDoubtful = false
  batch.from = undefined
}
