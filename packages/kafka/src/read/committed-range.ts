// Reads the records between two offsets of one partition. For look-ups, not for following: every call asks for the
// partition's leader again.
import { ProtocolError } from '#client-library'

import type { KafkaBrokers } from '../connect/broker-calls.ts'
import type { FetchedPartition } from '../protocol/fetch.ts'
import { batchesIn, recordsOf, visibleBatches } from '../protocol/fetched-batches.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { leaderOf, needTopic } from '../connect/topic-calls.ts'
import type { Isolation } from '../connect/topic-calls.ts'
import { fetchOnce } from './fetch-once.ts'
import { endOf } from './fetch-reader.ts'
import { KafkaError } from '../errors.ts'

export type Range = {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  /** Exclusive. */
  readonly to: bigint
}

type Step = { readonly records: SourceRecord[]; readonly next: bigint }

const STEP = { bytesMax: 4_194_304, waitMs: 100, purpose: 'pool' } as const

export async function readCommitted(brokers: KafkaBrokers, range: Range): Promise<SourceRecord[]> {
  const read = await stepsOf(brokers, range, 'read_committed')
  const records: SourceRecord[] = []
  for (let next = range.from; next < range.to;) {
    const step = await read(next)
    records.push(...step.records)
    next = step.next
  }
  return records
}

/** Fetches once from the start of the range. Returns committed records, and the offset for the next fetch. */
export async function readStep(brokers: KafkaBrokers, range: Range): Promise<Step> {
  return (await stepsOf(brokers, range, 'read_committed'))(range.from)
}

/** Like `readStep`, for all records, including uncommitted and aborted ones. */
export async function readRawStep(brokers: KafkaBrokers, range: Range): Promise<Step> {
  return (await stepsOf(brokers, range, 'read_uncommitted'))(range.from)
}

/** Returns the first record of the range, even if it is uncommitted or aborted, or undefined if the range is empty. */
export async function firstUncommitted(
  brokers: KafkaBrokers,
  range: Range,
): Promise<SourceRecord | undefined> {
  const read = await stepsOf(brokers, range, 'read_uncommitted')
  for (let next = range.from; next < range.to;) {
    const step = await read(next)
    if (step.records[0]) return step.records[0]
    next = step.next
  }
  return undefined
}

async function stepsOf(
  brokers: KafkaBrokers,
  range: Range,
  isolation: Isolation,
): Promise<(from: bigint) => Promise<Step>> {
  const { topic, partition } = range
  const { id, partitions } = await needTopic(brokers, topic)
  const found = partitions.find((one) => one.partition === partition)
  if (!found) throw new KafkaError('kafka.not_found', `${topic} has no partition ${partition}`)
  const led = { topicId: id, partition, leader: leaderOf(found) }
  const isCommittedOnly = isolation === 'read_committed'
  return async (from) => {
    const fetched = await fetchOnce(brokers, led, { ...STEP, from, isCommittedOnly })
    return stepIn(fetched, { ...range, from }, isolation)
  }
}

async function stepIn(
  fetched: FetchedPartition,
  { partition, from, to }: Range,
  isolation: Isolation,
): Promise<Step> {
  const isVisible = visibleBatches(fetched.aborted)
  const records: SourceRecord[] = []
  const batches = batchesIn(fetched.records)
  for (const batch of batches) {
    if (!isVisible(batch)) continue
    for (const record of await recordsOf(batch, partition))
      if (record.offset >= from && record.offset < to) records.push(record)
  }
  return { records, next: batches.at(-1)?.next ?? nothingUpTo(endOf({ isolation }, fetched), from) }
}

/**
 * Returns `end`, because compaction may have removed all records before it. Throws a retriable error if `from` isn't
 * readable yet.
 */
function nothingUpTo(end: bigint, from: bigint): bigint {
  if (end <= from) throw new ProtocolError('OFFSET_NOT_AVAILABLE')
  return end
}
