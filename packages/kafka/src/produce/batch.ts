// A batch on its way to its partition: plain state, which those who bring it there change. The rule that it protects: once it was
// written to a broker and nobody knows what came of it, the same bytes are written again and no others, because a broker
// recognises a repeated batch by its numbers alone.
import { batchBytesMaxOf, packBatch } from '../protocol/record-batch.ts'
import type { Compression } from '../protocol/compress.ts'
import type { BatchEntry, BatchProducerId } from '../protocol/record-batch.ts'

export type WireBatch = {
  readonly topic: string
  readonly partition: number
  readonly records: readonly BatchEntry[]
  readonly bytes: number
  /** How long a broker may take to answer before it is asked again. */
  readonly patienceMs: number
  readonly compression: Compression
  /** Records before this index are not wanted any more: all are answered in order. */
  answered: number
  /** False when its topic is forgotten: another of the same name must not get it. */
  maySendAgain: boolean
  /** Undefined until it is about to be sent. */
  producer: BatchProducerId | undefined
  /** Of the records that were written first; undefined while it is certain that none are stored. */
  from: number | undefined
  /** It was written to a broker, and nobody knows whether it is stored. */
  isDoubtful: boolean
  /** Of the topic that it is for, once that is known. */
  topicId: string | undefined
  /** Why it isn't stored yet, for the log. */
  trouble: unknown
}

export const isOver = (batch: WireBatch): boolean => batch.answered >= batch.records.length

/** What is written of it: the same bytes each time, until it is certain that they aren't stored. */
export function pack(batch: WireBatch, into: Buffer): Buffer {
  batch.from ??= batch.answered
  const { records, from, producer, compression } = batch
  return packBatch(records, from, { producer, compression, into })
}

/** Of the room that packing it takes. */
export const roomFor = ({ records, from, answered }: WireBatch): number =>
  batchBytesMaxOf(records, from ?? answered)

/** Of what was written last. */
export const countOf = ({ records, from = 0 }: WireBatch): number => records.length - from

/** For certain it is not stored: what goes out next may have fewer records. */
export function startOver(batch: WireBatch): void {
  batch.isDoubtful = false
  batch.from = undefined
}
