// The two requests that the batch producer speaks, and their answers: Produce 7 and Metadata 5, both read
// partition by partition. kafkajs throws away what we must know: at which topic metadata failed,
// and whether a refused batch had been appended. Both versions are spoken by every broker from 2.1 on.

import { batchBytesMaxOf, writeBatch } from './record-batch.ts'
import type { SizedRecord } from './record-batch.ts'
import { KafkaError } from '../errors.ts'

/** What a broker must understand, by API key. */
export const VERSIONS_NEEDED: Readonly<Record<number, number>> = { 0: 7, 3: 5 }

const PRODUCE = 0
const METADATA = 3
const ALL_IN_SYNC_REPLICAS = -1
const CORRELATION_ID_AT = 8

/** The records of one partition, from index `answered` on. */
export type PartitionRecords = {
  readonly topic: string
  readonly partition: number
  readonly records: readonly SizedRecord[]
  readonly answered: number
}

export type ProduceRequest = {
  readonly clientId: string
  /** How long the broker may wait for the other replicas. */
  readonly timeoutMs: number
  /** Those of one topic next to each other. */
  readonly batches: readonly PartitionRecords[]
}

export type ProduceAnswer = {
  readonly topic: string
  readonly partition: number
  readonly errorCode: number
  readonly baseOffset: bigint
}

/*
 * frame    = size:4 apiKey:2 version:2 correlationId:4 clientId:string body
 * Produce  = transactionalId:string acks:2 timeout:4
 *            topics:4 *(topic:string partitions:4 *(partition:4 size:4 batch))
 * Metadata = topics:4 *topic:string autoCreate:1
 * string   = length:2 *byte, length -1 for null
 */

export function encodeProduce({ clientId, timeoutMs, batches }: ProduceRequest): Buffer {
  const frame = Buffer.allocUnsafe(produceBytesMax(clientId, batches))
  let at = writeRequestHeader(frame, PRODUCE, clientId)
  at = frame.writeInt16BE(-1, at)
  at = frame.writeInt16BE(ALL_IN_SYNC_REPLICAS, at)
  at = frame.writeInt32BE(timeoutMs, at)
  const topicsAt = at
  at += 4
  let topics = 0
  for (let i = 0; i < batches.length; topics++) {
    const topic = batches[i]?.topic ?? ''
    const partitionsAt = writeText(frame, at, topic)
    const first = i
    at = partitionsAt + 4
    for (; i < batches.length; i++) {
      const batch = batches[i]
      if (batch?.topic !== topic) break
      at = writePartition(frame, at, batch)
    }
    frame.writeInt32BE(i - first, partitionsAt)
  }
  frame.writeInt32BE(topics, topicsAt)
  return finished(frame, at)
}

function writePartition(frame: Buffer, start: number, batch: PartitionRecords): number {
  const at = frame.writeInt32BE(batch.partition, start)
  const end = writeBatch(frame, at + 4, batch.records, batch.answered)
  frame.writeInt32BE(end - at - 4, at)
  return end
}

function produceBytesMax(clientId: string, batches: readonly PartitionRecords[]): number {
  let bytes = 64 + Buffer.byteLength(clientId)
  for (const { topic, records, answered } of batches) {
    bytes += 16 + Buffer.byteLength(topic) + batchBytesMaxOf(records, answered)
  }
  return bytes
}

export function encodeMetadata(clientId: string, topics: readonly string[]): Buffer {
  const names = topics.reduce((sum, topic) => sum + 2 + Buffer.byteLength(topic), 0)
  const frame = Buffer.allocUnsafe(32 + Buffer.byteLength(clientId) + names)
  let at = writeRequestHeader(frame, METADATA, clientId)
  at = frame.writeInt32BE(topics.length, at)
  for (const topic of topics) at = writeText(frame, at, topic)
  const autoCreate = 0
  return finished(frame, frame.writeInt8(autoCreate, at))
}

/** Whoever writes a frame to a connection numbers it first. */
export function setCorrelationId(frame: Buffer, id: number): void {
  frame.writeInt32BE(id, CORRELATION_ID_AT)
}

function writeRequestHeader(frame: Buffer, apiKey: number, clientId: string): number {
  let at = frame.writeInt16BE(apiKey, 4)
  at = frame.writeInt16BE(VERSIONS_NEEDED[apiKey] ?? 0, at)
  at = frame.writeInt32BE(0, at)
  return writeText(frame, at, clientId)
}

function writeText(frame: Buffer, at: number, text: string): number {
  const bytes = frame.write(text, at + 2)
  frame.writeInt16BE(bytes, at)
  return at + 2 + bytes
}

function finished(frame: Buffer, end: number): Buffer {
  frame.writeInt32BE(end - 4, 0)
  return frame.subarray(0, end)
}

// --- answers ---

/** Throttles, in ms: how long the broker reads nothing more from this connection (KIP-219). */
export type ProduceAnswers = { readonly answers: ProduceAnswer[]; readonly throttleMs: number }

/** The payload follows the correlation id. Throws KafkaError `kafka.malformed` when it isn't such an answer. */
export function readProduceAnswers(payload: Buffer): ProduceAnswers {
  const read = reader(payload)
  const answers: ProduceAnswer[] = []
  for (let topics = read.int32(); topics > 0; topics--) {
    const topic = read.text()
    for (let partitions = read.int32(); partitions > 0; partitions--) {
      const partition = read.int32()
      answers.push({ topic, partition, errorCode: read.int16(), baseOffset: read.int64() })
      read.int64()
      read.int64()
    }
  }
  return { answers, throttleMs: read.int32() }
}

export type Metadata = {
  readonly throttleMs: number
  readonly brokers: ReadonlyMap<number, { host: string; port: number }>
  /** Leaders by partition number; -1 has none now. A topic that the broker doesn't know isn't here. */
  readonly leaders: ReadonlyMap<string, readonly number[]>
}

export function readMetadata(payload: Buffer): Metadata {
  const read = reader(payload)
  const throttleMs = read.int32()
  const brokers = new Map<number, { host: string; port: number }>()
  for (let left = read.int32(); left > 0; left--) {
    brokers.set(read.int32(), { host: read.text(), port: read.int32() })
    read.text()
  }
  read.text()
  read.int32()
  const leaders = new Map<string, number[]>()
  for (let left = read.int32(); left > 0; left--) {
    const errorCode = read.int16()
    const topic = read.text()
    read.int8()
    const ofTopic = readPartitions(read)
    if (errorCode === 0) leaders.set(topic, ofTopic)
  }
  return { throttleMs, brokers, leaders }
}

function readPartitions(read: Reader): number[] {
  const leaders: number[] = []
  for (let left = read.int32(); left > 0; left--) {
    read.int16()
    const partition = read.int32()
    leaders[partition] = read.int32()
    for (let lists = 3; lists > 0; lists--) {
      for (let items = read.int32(); items > 0; items--) read.int32()
    }
  }
  return leaders
}

type Reader = ReturnType<typeof reader>

function reader(payload: Buffer) {
  let at = 0
  const next = (bytes: number): number => {
    const start = at
    at += bytes
    if (at > payload.length) throw malformed()
    return start
  }
  return {
    int8: () => payload.readInt8(next(1)),
    int16: () => payload.readInt16BE(next(2)),
    int32: () => payload.readInt32BE(next(4)),
    int64: () => payload.readBigInt64BE(next(8)),
    /** Null reads as empty: neither kind is ever asked for by what follows from it. */
    text() {
      const bytes = Math.max(0, payload.readInt16BE(next(2)))
      const start = next(bytes)
      return payload.toString('utf8', start, start + bytes)
    },
  }
}

function malformed(): KafkaError<'kafka.malformed'> {
  return new KafkaError('kafka.malformed', 'the broker gave an answer that cannot be read')
}
