// Decodes the record batches of a fetch response (message format 2), and finds out which of them a reader may see. The
// first batch may begin before the requested offset, and the last may be cut off. Batches emptied by compaction are
// included, so a reader's position always advances.
import type { AbortedTransaction } from './fetch.ts'
import { unpackers } from './compressed-records.ts'
import type { Headers, SourceRecord } from './source-record.ts'
import { KafkaError } from '../errors.ts'

export type FetchedBatch = {
  readonly firstOffset: bigint
  /** One past the batch's last offset. */
  readonly next: bigint
  /** The epoch of the leader that appended the batch. */
  readonly leaderEpoch: number
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly isTransactional: boolean
  /** A transaction marker, which readers don't see. */
  readonly isMarker: boolean
  readonly codec: number
  readonly count: number
  readonly times: { readonly baseMs: number; readonly appendMs: number | undefined }
  /** The stored bytes, possibly compressed. */
  readonly body: Buffer
}

const HEADER_BYTES = 61
const LENGTH_END = 12
const AT = { leaderEpoch: 12, magic: 16, attributes: 21, lastDelta: 23, baseMs: 27, maxMs: 35 }
const PRODUCER_AT = 43
const COUNT_AT = 57
const MAGIC = 2
const CODEC_BITS = 0x07
const [COMMIT, MARKER_TYPE_AT] = [1, 2]
const FLAG = { appendTime: 0x08, transactional: 0x10, control: 0x20 }

export function batchesIn(records: Buffer): FetchedBatch[] {
  const batches: FetchedBatch[] = []
  for (let start = 0; start + LENGTH_END <= records.length;) {
    const end = start + LENGTH_END + records.readInt32BE(start + 8)
    if (end > records.length) break
    if (end - start < HEADER_BYTES || records[start + AT.magic] !== MAGIC) throw malformed()
    batches.push(batchOf(records.subarray(start, end)))
    start = end
  }
  return batches
}

function batchOf(bytes: Buffer): FetchedBatch {
  const attributes = bytes.readInt16BE(AT.attributes)
  const firstOffset = bytes.readBigInt64BE(0)
  const isAppendTime = (attributes & FLAG.appendTime) !== 0
  return {
    firstOffset,
    next: firstOffset + BigInt(bytes.readInt32BE(AT.lastDelta)) + 1n,
    leaderEpoch: bytes.readInt32BE(AT.leaderEpoch),
    producerId: bytes.readBigInt64BE(PRODUCER_AT),
    producerEpoch: bytes.readInt16BE(PRODUCER_AT + 8),
    isTransactional: (attributes & FLAG.transactional) !== 0,
    isMarker: (attributes & FLAG.control) !== 0,
    codec: attributes & CODEC_BITS,
    count: bytes.readInt32BE(COUNT_AT),
    times: {
      baseMs: Number(bytes.readBigInt64BE(AT.baseMs)),
      appendMs: isAppendTime ? Number(bytes.readBigInt64BE(AT.maxMs)) : undefined,
    },
    body: bytes.subarray(HEADER_BYTES),
  }
}

/**
 * Returns a function that returns whether a reader may see a batch. Call it with the batches of one response in order.
 * A transaction in `aborted` is invisible from its first offset to its marker. Transactions may interleave.
 */
export function visibleBatches(aborted: readonly AbortedTransaction[]) {
  const toCome = [...aborted].sort((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1))
  const aborting = new Set<bigint>()
  return (batch: FetchedBatch): boolean => {
    for (let [first] = toCome; first && first.firstOffset < batch.next; [first] = toCome) {
      aborting.add(first.producerId)
      toCome.shift()
    }
    if (!batch.isMarker) return !(batch.isTransactional && aborting.has(batch.producerId))
    // The marker ends its producer's transaction.
    aborting.delete(batch.producerId)
    return false
  }
}

/** Returns a promise only if the records are compressed. Throws KafkaError `kafka.malformed`. */
export function recordsOf(
  batch: FetchedBatch,
  partition: number,
): SourceRecord[] | Promise<SourceRecord[]> {
  if (batch.count === 0) return []
  if (batch.codec === 0) return readRecords(batch, partition, batch.body)
  const unpack = unpackers.get(batch.codec)
  if (unpack === undefined) throw malformed()
  return unpack(batch.body).then((plain) => readRecords(batch, partition, plain))
}

/** Returns whether a marker commits. The marker's key contains a version, then the type. */
export const isCommit = ([marker]: readonly SourceRecord[]): boolean =>
  marker?.key?.readInt16BE(MARKER_TYPE_AT) === COMMIT

type Cursor = { at: number }

function readRecords(batch: FetchedBatch, partition: number, body: Buffer): SourceRecord[] {
  const cursor: Cursor = { at: 0 }
  const records: SourceRecord[] = []
  for (let index = 0; index < batch.count; index += 1) {
    const end = readVarint(body, cursor) + cursor.at
    if (end > body.length || end <= cursor.at) throw malformed()
    records.push(readRecord(batch, partition, { body, cursor }))
    cursor.at = end
  }
  return records
}

type Place = { readonly body: Buffer; readonly cursor: Cursor }

function readRecord(
  { firstOffset, times }: FetchedBatch,
  partition: number,
  { body, cursor }: Place,
): SourceRecord {
  cursor.at += 1
  const timestampMs = times.baseMs + readVarint(body, cursor)
  const offset = firstOffset + BigInt(readVarint(body, cursor))
  const key = readField(body, cursor)
  const value = readField(body, cursor)
  const headers = readHeaders(body, cursor)
  return { partition, offset, timestampMs: times.appendMs ?? timestampMs, key, value, headers }
}

/** Kafka permits repeated headers. Weir writes each header once, so the first one with a value counts. */
function readHeaders(body: Buffer, cursor: Cursor): Headers {
  const headers: Record<string, Buffer> = {}
  const count = readVarint(body, cursor)
  for (let index = 0; index < count; index += 1) {
    const name = readName(body, cursor, index)
    const value = readField(body, cursor)
    if (value === null || name === '__proto__' || Object.hasOwn(headers, name)) continue
    headers[name] = value
  }
  return headers
}

type Name = { readonly bytes: Buffer; readonly text: string }

const NAMES_KEPT_MAX = 16
/** The latest name at each header position, because the next record mostly has the same names. */
const lastNames: Name[] = []

function readName(body: Buffer, cursor: Cursor, index: number): string {
  const start = cursor.at
  const length = readVarint(body, cursor)
  const known = lastNames[index]
  if (known !== undefined && isAt(body, cursor.at, length, known.bytes)) {
    cursor.at += length
    return known.text
  }
  cursor.at = start
  const bytes = readField(body, cursor) ?? Buffer.alloc(0)
  const text = bytes.toString('utf8')
  if (index < NAMES_KEPT_MAX) lastNames[index] = { bytes: Buffer.from(bytes), text }
  return text
}

function isAt(body: Buffer, at: number, length: number, bytes: Buffer): boolean {
  if (length !== bytes.length || at + length > body.length) return false
  for (let i = 0; i < length; i += 1) if (body[at + i] !== bytes[i]) return false
  return true
}

function readField(body: Buffer, cursor: Cursor): Buffer | null {
  const length = readVarint(body, cursor)
  if (length < 0) return null
  const end = cursor.at + length
  if (end > body.length) throw malformed()
  const field = body.subarray(cursor.at, end)
  cursor.at = end
  return field
}

/** Reads a zigzag varint. Time differences may be longer than 32 bits. */
function readVarint(from: Buffer, cursor: Cursor): number {
  let value = 0
  let scale = 1
  for (;;) {
    const byte = from[cursor.at]
    if (byte === undefined || scale > 2 ** 63) throw malformed()
    cursor.at += 1
    value += (byte & 0x7f) * scale
    if (byte < 0x80) break
    scale *= 128
  }
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

const malformed = (): KafkaError =>
  new KafkaError('kafka.malformed', 'a batch of records cannot be read')
