// A batch on its way to a partition, as plain state that other files change. If the outcome of a sent batch is unknown,
// the batch is retried with exactly the same bytes, because a broker recognises a duplicate only by its sequence
// numbers.
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
  /** The records before this index have their outcome. Records get their outcomes in order. */
  answered: number
  /** False if the batch's topic was deleted. Another topic of the same name must not get the batch. */
  maySendAgain: boolean
  /** Undefined until the batch is about to be sent. */
  producer: BatchProducerId | undefined
  /** The index of the first record that was sent; undefined while it is certain that no record is stored. */
  from: number | undefined
  /** The batch was sent to a broker, and its outcome is unknown. */
  isDoubtful: boolean
  /** The topic's id, once it is known. */
  topicId: string | undefined
  /** Why the batch isn't stored yet, for the log. */
  trouble: unknown
}

export const isOver = (batch: WireBatch): boolean => batch.answered >= batch.records.length

/** Encodes the batch. The bytes are the same each time, until it is certain that the batch isn't stored. */
export function pack(batch: WireBatch, into: Buffer): Buffer {
  batch.from ??= batch.answered
  const { records, from, producer, compression } = batch
  return packBatch(records, from, { producer, compression, into })
}

/** Returns the buffer size that `pack` needs. */
export const roomFor = ({ records, from, answered }: WireBatch): number =>
  batchBytesMaxOf(records, from ?? answered)

/** Returns the number of records in the last attempt. */
export const countOf = ({ records, from = 0 }: WireBatch): number => records.length - from

/** Call when it is certain that the batch isn't stored. The next attempt may contain fewer records. */
export function startOver(batch: WireBatch): void {
  batch.isDoubtful = false
  batch.from = undefined
}
