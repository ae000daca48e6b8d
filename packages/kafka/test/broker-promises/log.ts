// Writes batches with a chosen producer id, epoch and sequence. Reads a partition's log batch by batch, with
// transaction markers, even after the start of another producer's open transaction.
import { createAPI, fetchV12, protocolErrorsCodesById, Writer } from '@platformatic/kafka'
import type { Connection, Reader, RecordsBatch } from '@platformatic/kafka'

import { bodyBytesOf, packBatch } from '../../src/protocol/record-batch.ts'
import { eventually } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'
import type { Identity } from './transactions.ts'

export type BatchOptions = {
  readonly producer: Identity
  readonly sequence: number
  readonly timestampMs?: number
  /** Part of a transaction; default false. */
  readonly isTransactional?: boolean
}

export function batchOf(values: readonly string[], options: BatchOptions): Buffer {
  const { producer, sequence, timestampMs = Date.now(), isTransactional = false } = options
  const sized = values.map((value) => {
    const record = { key: null, value: Buffer.from(value), headers: {}, timestampMs }
    return { record, bodyBytes: bodyBytesOf(record) }
  })
  return packBatch(sized, 0, { producer: { ...producer, sequence, isTransactional } })
}

export type Produced = {
  readonly error: string
  readonly offset: bigint
  readonly logAppendTimeMs: bigint
  readonly throttleMs: number
}

export type ProduceRequest = {
  /** The topic's name; from version 13 on its id. */
  readonly topic: string
  readonly partition: number
  readonly batch: Buffer
  readonly transactionalId?: string
}

const ALL_REPLICAS = -1
const TIMEOUT_MS = 30_000

function produceRequest(version: number) {
  return ({ topic, partition, batch, transactionalId }: ProduceRequest): Writer =>
    Writer.create()
      .appendString(transactionalId ?? null)
      .appendInt16(ALL_REPLICAS)
      .appendInt32(TIMEOUT_MS)
      .appendArray([topic], (w, name) => {
        if (version < 13) w.appendString(name)
        else w.appendUUID(name)
        w.appendArray([batch], (inner, bytes) => {
          inner
            .appendInt32(partition)
            .appendUnsignedVarInt(bytes.length + 1)
            .append(bytes)
        })
      })
      .appendTaggedFields()
}

function parseProduced(version: number) {
  return (_correlation: number, _key: number, _version: number, reader: Reader): Produced => {
    const [found] = reader.readArray((topic) => {
      if (version < 13) topic.readString()
      else topic.readUUID()
      return topic.readArray(readPartition)[0]
    })
    const throttleMs = reader.readInt32()
    if (found === undefined) throw new Error('an answer about nothing')
    return { ...found, throttleMs }
  }
}

function readPartition(reader: Reader): Omit<Produced, 'throttleMs'> {
  reader.readInt32()
  const error = protocolErrorsCodesById[reader.readInt16()] ?? 'not known'
  const offset = reader.readInt64()
  const logAppendTimeMs = reader.readInt64()
  reader.readInt64()
  reader.readArray((inner) => [inner.readInt32(), inner.readNullableString()])
  reader.readNullableString()
  return { error, offset, logAppendTimeMs }
}

const produceApi = (version: number) =>
  createAPI<[ProduceRequest], Produced>(0, version, produceRequest(version), parseProduced(version))
const byName = produceApi(9)
const inTransaction = produceApi(12)
const byId = produceApi(13)

/** Returns the first response, without retries. */
export const produceOn = (connection: Connection, request: ProduceRequest): Promise<Produced> =>
  byName.async(connection, request)

/** Like `produceOn`, with transactions of version 2 (Kafka 4.0): the request adds the partition to the transaction. */
export const produceInTransaction = (
  connection: Connection,
  request: ProduceRequest,
): Promise<Produced> => inTransaction.async(connection, request)

/** Like `produceOn`, with the topic's id instead of its name. */
export const produceById = (connection: Connection, request: ProduceRequest): Promise<Produced> =>
  byId.async(connection, request)

/** Sends to the leader. Retries after a connection error, and while the partition has no leader. */
export function produce(
  cluster: Cluster,
  place: Place,
  batch: Buffer,
  transactionalId?: string,
): Promise<Produced> {
  const request = { ...place, batch, ...(transactionalId && { transactionalId }) }
  return eventually(`a leader of ${place.topic}`, async () => {
    const produced = await produceOn(await cluster.leader(place), request)
    if (/LEADER|UNKNOWN_TOPIC/.test(produced.error)) throw new Error(produced.error)
    return produced
  })
}

export type LogBatch = {
  readonly offset: bigint
  readonly producer: Identity
  readonly sequence: number
  /** The outcome of the transaction, if this is a marker. */
  readonly marker: 'abort' | 'commit' | undefined
  readonly values: readonly string[]
  readonly timestampMs: number
  readonly isLogAppendTime: boolean
}

const IS_LOG_APPEND_TIME = 8
const IS_CONTROL = 32
const BYTES_MAX = 10_000_000

/** Returns all batches up to the high watermark, including uncommitted ones and markers. */
export function readLog(cluster: Cluster, place: Place): Promise<LogBatch[]> {
  return eventually(`the log of ${place.topic}`, async () => {
    const connection = await cluster.leader(place)
    const batches: LogBatch[] = []
    for (let next = 0n; ;) {
      const { records, highWatermark } = await fetchFrom(connection, place, next)
      batches.push(...records.map(asLogBatch))
      const last = records.at(-1)
      if (last === undefined) return batches
      next = last.firstOffset + BigInt(last.lastOffsetDelta) + 1n
      if (next >= highWatermark) return batches
    }
  })
}

async function fetchFrom(connection: Connection, { topic, partition }: Place, fetchOffset: bigint) {
  const wanted = { partition, currentLeaderEpoch: -1, fetchOffset, lastFetchedEpoch: -1 }
  const topics = [{ topicId: topic, partitions: [{ ...wanted, partitionMaxBytes: BYTES_MAX }] }]
  const request: FetchArguments = [0, 0, BYTES_MAX, 0, 0, -1, topics, [], '']
  const { responses } = await fetchV12.api.async(connection, ...request)
  const found = responses[0]?.partitions[0]
  return { records: found?.records ?? [], highWatermark: found?.highWatermark ?? 0n }
}

type FetchArguments = Parameters<typeof fetchV12.createRequest>

function asLogBatch(batch: RecordsBatch): LogBatch {
  const key = batch.records[0]?.key
  const isControl = (batch.attributes & IS_CONTROL) !== 0
  return {
    offset: batch.firstOffset,
    producer: { id: batch.producerId, epoch: batch.producerEpoch },
    sequence: batch.firstSequence,
    marker: isControl ? (key?.readInt16BE(2) === 1 ? 'commit' : 'abort') : undefined,
    values: isControl ? [] : batch.records.map(({ value }) => value?.toString() ?? ''),
    timestampMs: Number(batch.maxTimestamp),
    isLogAppendTime: (batch.attributes & IS_LOG_APPEND_TIME) !== 0,
  }
}

export const valuesOf = (log: readonly LogBatch[]): string[] => log.flatMap(({ values }) => values)

export function markerOffset(
  log: readonly LogBatch[],
  { id, epoch }: Identity,
): bigint | undefined {
  const isIt = ({ marker, producer }: LogBatch) =>
    marker === 'abort' && producer.id === id && producer.epoch === epoch
  return log.find(isIt)?.offset
}
