// Searches a log backwards from an offset, for the last record for which a function returns a value. Used by writers
// that continue at a log's end, so records count even if read_committed readers don't see them yet. A transaction's
// records count if a marker before the offset commits them. Reads in growing steps, and keeps at most one fetch in
// memory.
import { ProtocolError } from '#client-library'

import { createTurns } from '@weir/kit'

import { logStartOf } from '../connect/topic-calls.ts'
import { createBrokerCalls } from '../connect/broker-calls.ts'
import type { KafkaBrokers } from '../connect/broker-calls.ts'
import { protocolTypeOf } from '../connect/faults.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { createPlaces } from '../produce/places.ts'
import { batchesIn, isCommit, recordsOf } from '../protocol/fetched-batches.ts'
import type { FetchedBatch } from '../protocol/fetched-batches.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { fetchOnce } from './fetch-once.ts'
import type { LedPartition } from './fetch-once.ts'

export type Before = {
  readonly topic: string
  readonly partition: number
  /** Exclusive; not beyond the log's end. */
  readonly to: bigint
}

/** Returns the value of a record, or undefined if it has none. */
export type LogReading<T> = (record: SourceRecord) => T | undefined

export type LogSearch = {
  /**
   * Returns the value of the last record that has one, or undefined if no record in the log has one. Throws KafkaError
   * `kafka.unavailable` or `kafka.refused`.
   */
  findLast<T>(before: Before, read: LogReading<T>): Promise<T | undefined>
  close(): Promise<void>
}

const DEADLINE_MS = 15_000
const AT_ONCE = 32
/** Step lengths in offsets. The record is nearly always in the first step. */
const STEPS = { first: 16n, factor: 8n, max: 16_384n }
const FETCH = { bytesMax: 1_048_576, waitMs: 0, isCommittedOnly: false, purpose: 'pool' } as const

export function createLogSearch(kafka: Kafka): LogSearch {
  const calls = createBrokerCalls(kafka, DEADLINE_MS)
  const places = createPlaces(internalsOf(kafka).cluster, DEADLINE_MS)
  const inTurn = createTurns(AT_ONCE)

  async function find({ topic, partition }: Before): Promise<Log> {
    await places.refresh(topic)
    const place = places.find(topic, partition)
    if (place === undefined) throw new ProtocolError('LEADER_NOT_AVAILABLE')
    return { ...place, topic, partition }
  }

  const look = <T>(before: Before, step: bigint, read: LogReading<T>): Promise<Stretch<T>> =>
    inTurn(() =>
      calls.run('read a log backwards', async (brokers) =>
        readStretch(brokers, { log: await find(before), to: before.to, step }, read),
      ),
    )

  return {
    async findLast(before, read) {
      const isCommitted = new Map<bigint, boolean>()
      let { to } = before
      for (let step = STEPS.first; to > 0n; step = grown(step)) {
        const { seen, from } = await look({ ...before, to }, step, read)
        const last = lastIn(seen, isCommitted)
        if (last !== undefined) return last
        to = from
      }
      return undefined
    },
    close: calls.close,
  }
}

const grown = (step: bigint): bigint =>
  step * STEPS.factor > STEPS.max ? STEPS.max : step * STEPS.factor

type Seen<T> = Pick<FetchedBatch, 'producerId' | 'isMarker' | 'isTransactional'> & {
  readonly commits: boolean
  readonly found: T | undefined
}

type Log = LedPartition & { readonly topic: string }
type Sought = { readonly log: Log; readonly to: bigint; readonly step: bigint }
/** `from`: the first offset of the stretch; 0 if it starts at the log's beginning. */
type Stretch<T> = { readonly seen: readonly Seen<T>[]; readonly from: bigint }

async function readStretch<T>(
  brokers: KafkaBrokers,
  { log, to, step }: Sought,
  read: LogReading<T>,
): Promise<Stretch<T>> {
  const from = to > step ? to - step : 0n
  try {
    return await readForward(brokers, log, { from, to, read })
  } catch (error) {
    if (protocolTypeOf(error) !== 'OFFSET_OUT_OF_RANGE') throw error
  }
  const start = await logStartOf(brokers, log.topic, log)
  // The log begins here, so this is the last stretch, even if no record is found.
  const { seen } = await readForward(brokers, log, { from: start, to, read })
  return { seen, from: 0n }
}

type Forward<T> = { readonly from: bigint; readonly to: bigint; readonly read: LogReading<T> }

async function readForward<T>(
  brokers: KafkaBrokers,
  log: Log,
  { from, to, read }: Forward<T>,
): Promise<Stretch<T>> {
  const seen: Seen<T>[] = []
  let begins = from
  for (let next = from; next < to;) {
    const { records, highWatermark } = await fetchOnce(brokers, log, { ...FETCH, from: next })
    const batches = batchesIn(records).filter(({ firstOffset }) => firstOffset < to)
    for (const batch of batches) {
      if (batch.firstOffset < begins) begins = batch.firstOffset
      seen.push(await look(batch, { partition: log.partition, to, read }))
    }
    // A new leader may not return the latest records yet.
    if (batches.length === 0 && highWatermark < to) throw new ProtocolError('OFFSET_NOT_AVAILABLE')
    next = batches.at(-1)?.next ?? to
  }
  return { seen, from: begins }
}

type Looking<T> = { readonly partition: number; readonly to: bigint; readonly read: LogReading<T> }

async function look<T>(batch: FetchedBatch, { partition, to, read }: Looking<T>): Promise<Seen<T>> {
  const { producerId, isMarker, isTransactional } = batch
  const kept = { producerId, isMarker, isTransactional }
  const records = await recordsOf(batch, partition)
  if (isMarker) return { ...kept, commits: isCommit(records), found: undefined }
  let found: T | undefined
  for (const record of records.toReversed()) {
    if (record.offset < to) found = read(record)
    if (found !== undefined) break
  }
  return { ...kept, commits: false, found }
}

/** `isCommitted` says, by producer, whether the next marker after the batch commits. */
function lastIn<T>(seen: readonly Seen<T>[], isCommitted: Map<bigint, boolean>): T | undefined {
  for (const { producerId, isMarker, isTransactional, commits, found } of seen.toReversed()) {
    if (isMarker) isCommitted.set(producerId, commits)
    else if (found !== undefined && (!isTransactional || isCommitted.get(producerId) === true))
      return found
  }
  return undefined
}
