// Encodes records as one Kafka record batch (message format 2), as in a produce request and in the log. Sizes are
// computed first, so every value is copied only once.
import { compress } from './compress.ts'
import type { Compression } from './compress.ts'
import { crc32c } from './crc32c.ts'

export type ProduceRecord = {
  readonly key: Buffer | string
  readonly value: Buffer
  readonly headers: Readonly<Record<string, Buffer | string>>
  readonly timestampMs: number
}

/** A record whose key and value may be missing. */
export type BatchRecord = {
  readonly key: Buffer | string | null
  readonly value: Buffer | string | null
  readonly headers: Readonly<Record<string, Buffer | string>>
  readonly timestampMs: number
}

/** A record with its size; `bodyBytes` is `bodyBytesOf(record)`. */
export type SizedRecord = {
  readonly record: BatchRecord
  readonly bodyBytes: number
  readonly body?: undefined
}

/** An encoded record without its position in a batch, so it may be used in any number of batches. */
export type EncodedRecord = {
  readonly body: Buffer
  readonly bodyBytes: number
  readonly timestampMs: number
}

export type BatchEntry = SizedRecord | EncodedRecord

/** A batch's producer, and the sequence number of its first record in the partition. */
export type BatchProducerId = {
  readonly id: bigint
  readonly epoch: number
  readonly sequence: number
  /** Part of a transaction; default false. */
  readonly isTransactional?: boolean
}

const NO_PRODUCER: BatchProducerId = { id: -1n, epoch: -1, sequence: -1 }
const TRANSACTIONAL = 0x10

const HEADER_BYTES = 61
const ATTRIBUTES_BYTES = 1
const LENGTH_AT = 8
const CRC_AT = 17
const ATTRIBUTES_AT = 21
// The maximum bytes of a record's length, time difference and offset difference.
const PREFIX_BYTES_MAX = 5 + 10 + 5
const SHORT_TEXT_BYTES = 64
// -1 as a zigzag varint.
const NULL_LENGTH = 1

/** Returns how many bytes of a record don't depend on its position in a batch. */
export function bodyBytesOf(record: BatchRecord): number {
  let headers = 0
  let count = 0
  for (const name in record.headers) {
    count++
    headers += nameBytes(name) + fieldBytes(record.headers[name] ?? '')
  }
  return (
    ATTRIBUTES_BYTES +
    fieldBytes(record.key) +
    fieldBytes(record.value) +
    lengthBytes(count) +
    headers
  )
}

/** Returns an upper bound for the bytes of a batch from record `from` on. */
export function batchBytesMaxOf(records: readonly BatchEntry[], from: number): number {
  let bytes = HEADER_BYTES
  for (let i = from; i < records.length; i++) {
    bytes += (records[i]?.bodyBytes ?? 0) + PREFIX_BYTES_MAX
  }
  return bytes
}

/*
 * batch  = baseOffset:8 length:4 leaderEpoch:4 magic:1 crc:4 attributes:2 lastOffsetDelta:4
 *          baseTimestamp:8 maxTimestamp:8 producerId:8 producerEpoch:2 baseSequence:4 count:4 *record
 * record = length:varint attributes:1 timestampDelta:varlong offsetDelta:varint key value
 *          headerCount:varint *(key value)          key, value = length:varint *byte
 * Varints are zigzag; the checksum covers all that follows it. The broker sets offset and epoch.
 */

export type PackOptions = {
  readonly producer?: BatchProducerId | undefined
  /** Used if it makes the records shorter. */
  readonly compression?: Compression
  /** A buffer for the result, of at least `batchBytesMaxOf` bytes. */
  readonly into?: Buffer
}

/** Encodes the records from index `from` on. The result is the same each time. */
export function packBatch(
  records: readonly BatchEntry[],
  from: number,
  { producer = NO_PRODUCER, compression = 'none', into }: PackOptions = {},
): Buffer {
  const batch = into ?? Buffer.allocUnsafe(batchBytesMaxOf(records, from))
  const baseMs = timestampOf(records[from])
  let maxMs = baseMs
  let end = HEADER_BYTES
  for (let i = from; i < records.length; i++) {
    const sized = records[i]
    if (sized === undefined) break
    const timestampMs = timestampOf(sized)
    if (timestampMs > maxMs) maxMs = timestampMs
    const deltas = { timestampDelta: timestampMs - baseMs, offsetDelta: i - from }
    end = writeRecord(batch, end, sized, deltas)
  }
  const { packed, codec } = compress(batch.subarray(0, end), HEADER_BYTES, compression)
  writeBatchHeader(packed, { count: records.length - from, baseMs, maxMs, producer, codec })
  return packed
}

const timestampOf = (entry: BatchEntry | undefined): number =>
  (entry?.body === undefined ? entry?.record.timestampMs : entry.timestampMs) ?? 0

type BatchFacts = {
  readonly count: number
  readonly baseMs: number
  readonly maxMs: number
  readonly producer: BatchProducerId
  readonly codec: number
}

function writeBatchHeader(to: Buffer, facts: BatchFacts): void {
  const { count, baseMs, maxMs, producer, codec } = facts
  const magic = 2
  let at = to.writeBigInt64BE(0n, 0)
  at = to.writeInt32BE(to.length - LENGTH_AT - 4, at)
  at = to.writeInt32BE(-1, at)
  at = to.writeInt8(magic, at)
  at = to.writeInt32BE(0, at)
  at = to.writeInt16BE(codec | (producer.isTransactional === true ? TRANSACTIONAL : 0), at)
  at = to.writeInt32BE(count - 1, at)
  at = to.writeBigInt64BE(BigInt(baseMs), at)
  at = to.writeBigInt64BE(BigInt(maxMs), at)
  at = to.writeBigInt64BE(producer.id, at)
  at = to.writeInt16BE(producer.epoch, at)
  at = to.writeInt32BE(producer.sequence, at)
  to.writeInt32BE(count, at)
  to.writeUInt32BE(crc32c(to, ATTRIBUTES_AT, to.length), CRC_AT)
}

type Deltas = { timestampDelta: number; offsetDelta: number }

function writeRecord(to: Buffer, start: number, sized: BatchEntry, deltas: Deltas): number {
  const { timestampDelta, offsetDelta } = deltas
  let at = start
  at = writeLength(
    to,
    at,
    sized.bodyBytes + timestampBytes(timestampDelta) + lengthBytes(offsetDelta),
  )
  to[at++] = 0
  at = writeTimestamp(to, at, timestampDelta)
  at = writeLength(to, at, offsetDelta)
  if (sized.body === undefined) return writeBody(to, at, sized.record)
  to.set(sized.body, at)
  return at + sized.body.length
}

function writeBody(to: Buffer, start: number, record: BatchRecord): number {
  let at = start
  at = writeField(to, at, record.key)
  at = writeField(to, at, record.value)
  let count = 0
  for (const _ in record.headers) count++
  at = writeLength(to, at, count)
  for (const name in record.headers) {
    at = writeField(to, at, name)
    at = writeField(to, at, record.headers[name] ?? '')
  }
  return at
}

export function encodeRecord(record: BatchRecord): EncodedRecord {
  if (!Number.isSafeInteger(record.timestampMs))
    throw new TypeError('timestampMs must be a whole number')
  const bodyBytes = bodyBytesOf(record)
  const body = Buffer.allocUnsafe(bodyBytes - ATTRIBUTES_BYTES)
  writeBody(body, 0, record)
  return { body, bodyBytes, timestampMs: record.timestampMs }
}

const knownNames = new Map<string, number>()
const KNOWN_NAMES_MAX = 100

/** Cached, because programs use few header names. */
function nameBytes(name: string): number {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const bytes = fieldBytes(name)
  if (knownNames.size < KNOWN_NAMES_MAX) knownNames.set(name, bytes)
  return bytes
}

function fieldBytes(field: Buffer | string | null): number {
  if (field === null) return 1
  const bytes = typeof field === 'string' ? Buffer.byteLength(field) : field.length
  return lengthBytes(bytes) + bytes
}

function writeField(to: Buffer, start: number, field: Buffer | string | null): number {
  if (field === null) {
    to[start] = NULL_LENGTH
    return start + 1
  }
  if (typeof field !== 'string') {
    const at = writeLength(to, start, field.length)
    to.set(field, at)
    return at + field.length
  }
  if (field.length <= SHORT_TEXT_BYTES) {
    const end = writeAscii(to, start, field)
    if (end !== undefined) return end
  }
  const bytes = Buffer.byteLength(field)
  const at = writeLength(to, start, bytes)
  to.write(field, at)
  return at + bytes
}

/** Faster than a native call for short texts. Returns undefined if the text isn't ASCII. */
function writeAscii(to: Buffer, start: number, text: string): number | undefined {
  const { length } = text
  const at = writeLength(to, start, length)
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) return undefined
    to[at + i] = unit
  }
  return at + length
}

// --- varints ---

// Lengths aren't negative, and zigzag doubles them. So the first byte has 6 bits, and each further byte has 7.
function lengthBytes(length: number): number {
  if (length < 0x40) return 1
  if (length < 0x2000) return 2
  if (length < 0x100000) return 3
  return length < 0x8000000 ? 4 : 5
}

function writeLength(to: Buffer, start: number, length: number): number {
  let at = start
  let rest = (length << 1) >>> 0
  while (rest > 0x7f) {
    to[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  to[at++] = rest
  return at
}

// Time differences may be negative and, in principle, larger than 32 bits.
function timestampBytes(delta: number): number {
  if (delta >= 0 && delta < 0x40000000) return lengthBytes(delta)
  let rest = zigzag(delta)
  let bytes = 1
  while (rest > 0x7fn) {
    rest >>= 7n
    bytes++
  }
  return bytes
}

function writeTimestamp(to: Buffer, start: number, delta: number): number {
  if (delta >= 0 && delta < 0x40000000) return writeLength(to, start, delta)
  let at = start
  let rest = zigzag(delta)
  while (rest > 0x7fn) {
    to[at++] = Number(rest & 0x7fn) | 0x80
    rest >>= 7n
  }
  to[at++] = Number(rest)
  return at
}

function zigzag(value: number): bigint {
  return value < 0 ? BigInt(value) * -2n - 1n : BigInt(value) * 2n
}
