// Reading a stretch of one partition without joining any group: what is committed between two offsets. It is
// for looking back, not for following: every call asks the partition's leader anew.
import type { FetchedMessage, FetchedPartition } from 'kafkajs/src/broker/index.js'
import type Cluster from 'kafkajs/src/cluster/index.js'

import { toSourceRecord } from '../protocol/source-record.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { needLeaders } from '../admin/topic-calls.ts'
import { KafkaError } from '../errors.ts'

export type Range = {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  /** Not itself part of it. */
  readonly to: bigint
}

const READ_UNCOMMITTED = 0
const READ_COMMITTED = 1
const BYTES_MAX = 4_194_304
const WAIT_MS = 100
// The key of a control record: version, then type; type 0 ends an aborted transaction.
const ABORT_MARKER = Buffer.from([0, 0, 0, 0])

export async function readCommitted(cluster: Cluster, range: Range): Promise<SourceRecord[]> {
  const fetchFrom = await fetcherOf(cluster, range)
  const records: SourceRecord[] = []
  for (let next = range.from; next < range.to;) {
    const fetched = await fetchFrom(next)
    records.push(...committedOf(fetched, range))
    next = nextAfter(fetched, next)
  }
  return records
}

/** One fetch of the range: what is committed there, and where the next one begins. */
export async function readStep(
  cluster: Cluster,
  range: Range,
): Promise<{ records: SourceRecord[]; next: bigint }> {
  const fetched = await (await fetcherOf(cluster, range))(range.from)
  return { records: committedOf(fetched, range), next: nextAfter(fetched, range.from) }
}

export type RawRecord = {
  readonly key: string
  readonly value: Buffer | null
  readonly offset: bigint
}

/** One fetch of everything that lies there, whether or not it will ever count. */
export async function readRawStep(
  cluster: Cluster,
  range: Range,
): Promise<{ records: RawRecord[]; next: bigint }> {
  const fetched = await (await fetcherOf(cluster, range, READ_UNCOMMITTED))(range.from)
  const records = fetched.messages
    .filter(({ isControlRecord }) => !isControlRecord)
    .map(({ key, value, offset }) => ({
      key: key?.toString('utf8') ?? '',
      value,
      offset: BigInt(offset),
    }))
  return { records, next: nextAfter(fetched, range.from) }
}

/**
 * The first offset of the range at which a fetch gives anything, its end when none does. Compaction may leave
 * batches that are empty; a consumer of kafkajs that comes to a segment with nothing else waits there forever.
 */
export async function firstReadable(cluster: Cluster, range: Range): Promise<bigint> {
  const fetchFrom = await fetcherOf(cluster, range)
  for (let at = range.from; at < range.to; at += 1n) {
    if ((await fetchFrom(at)).messages.length > 0) return at
  }
  return range.to
}

/** The first record of the range, whether or not it will ever count. */
export async function firstUncommitted(
  cluster: Cluster,
  range: Range,
): Promise<SourceRecord | undefined> {
  const fetchFrom = await fetcherOf(cluster, range, READ_UNCOMMITTED)
  for (let next = range.from; next < range.to;) {
    const fetched = await fetchFrom(next)
    const first = fetched.messages.find(
      ({ offset, isControlRecord }) => !isControlRecord && BigInt(offset) >= next,
    )
    if (first) return toSourceRecord(range.partition, first)
    next = nextAfter(fetched, next)
  }
  return undefined
}

async function fetcherOf(
  cluster: Cluster,
  { topic, partition }: Range,
  isolationLevel: 0 | 1 = READ_COMMITTED,
): Promise<(offset: bigint) => Promise<FetchedPartition>> {
  const leader = (await needLeaders(cluster, topic)).find((one) => one.partition === partition)
  if (!leader) throw new KafkaError('kafka.not_found', `${topic} has no partition ${partition}`)
  const broker = await cluster.findBroker({ nodeId: leader.leader })
  return async (offset) => {
    const partitions = [{ partition, fetchOffset: offset.toString(), maxBytes: BYTES_MAX }]
    const { responses } = await broker.fetch({
      isolationLevel,
      maxWaitTime: WAIT_MS,
      minBytes: 1,
      maxBytes: BYTES_MAX,
      topics: [{ topic, partitions }],
    })
    const fetched = responses[0]?.partitions[0]
    if (!fetched) throw new KafkaError('kafka.not_found', 'a broker left a partition out')
    return fetched
  }
}

function committedOf(fetched: FetchedPartition, { partition, from, to }: Range): SourceRecord[] {
  return withoutAborted(fetched)
    .filter(({ offset }) => BigInt(offset) >= from && BigInt(offset) < to)
    .map((message) => toSourceRecord(partition, message))
}

// Before its end a partition gives nothing only where compaction has emptied a batch: step over it.
function nextAfter({ messages }: FetchedPartition, asked: bigint): bigint {
  const last = messages.at(-1)
  const next = last ? BigInt(last.offset) + 1n : asked
  return next > asked ? next : asked + 1n
}

/** Right however transactions of several producers interleave, which kafkajs's own filter is not. */
function withoutAborted({ abortedTransactions, messages }: FetchedPartition): FetchedMessage[] {
  const toCome = abortedTransactions
    .map(({ producerId, firstOffset }) => ({ producerId, firstOffset: BigInt(firstOffset) }))
    .sort((a, b) => Number(a.firstOffset - b.firstOffset))
  const aborting = new Set<string>()
  return messages.filter(({ offset, key, isControlRecord, batchContext }) => {
    while (toCome[0] && toCome[0].firstOffset <= BigInt(offset)) {
      aborting.add(toCome[0].producerId)
      toCome.shift()
    }
    if (!isControlRecord)
      return !(batchContext.inTransaction && aborting.has(batchContext.producerId))
    if (key && ABORT_MARKER.equals(key)) aborting.delete(batchContext.producerId)
    return false
  })
}
