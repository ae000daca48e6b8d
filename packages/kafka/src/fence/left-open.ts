// What a transaction has left open in logs, and whether it was committed. Kafka 4.3.1 leaves the marker of a transaction out of a
// partition that has no leader when it ends (KAFKA-20734): its records lie there open although it has ended, and the next marker of that
// producer decides about them. Where a transaction has written to two logs, the marker in the other log says what has become of it. It
// protects that each transaction counts in both logs or in none.
import { ProtocolError, describeProducersV0, describeTransactionsV0 } from '#client-library'

import { logEndOf, logStartOf } from '../connect/topic-calls.ts'
import type { Brokers } from '../connect/broker-calls.ts'
import { protocolTypeOf } from '../connect/faults.ts'
import { requestOf } from '../connect/requests.ts'
import { batchesIn, isCommit, recordsOf } from '../protocol/fetched-batches.ts'
import type { FetchedBatch } from '../protocol/fetched-batches.ts'
import { fetchOnce } from '../read/fetch-once.ts'
import type { LedPartition } from '../read/fetch-once.ts'

export type Log = LedPartition & { readonly topic: string }

/** In the same order as the logs. */
export type OpenIn = readonly {
  readonly log: Log
  /** The first offset of each open transaction, by producer. */
  readonly begins: ReadonlyMap<bigint, bigint>
}[]

/** How the coordinator knows a transactional id. */
export type KnownProducer = {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** Whether it has a transaction that was not yet ended. */
  readonly isOngoing: boolean
}

/** A transaction that is judged takes fewer, markers included. */
const TRANSACTION_OFFSETS_MAX = 2_000n
const FETCH = {
  bytesMax: 1_048_576,
  waitMs: 0,
  isCommittedOnly: false,
  purpose: 'control',
} as const

/** Asks the leaders what lies in their logs, whether or not it is replicated yet. */
export const findOpen = (brokers: Brokers, logs: readonly Log[]): Promise<OpenIn> =>
  Promise.all(
    logs.map(async (log) => {
      const asked = [{ name: log.topic, partitionIndexes: [log.partition] }]
      const answer = await brokers.ask(log.leader, requestOf(describeProducersV0.api, asked))
      const partitions = answer.topics.flatMap((topic) => topic.partitions)
      const begins = partitions
        .flatMap(({ activeProducers }) => activeProducers)
        .filter(({ currentTxnStartOffset }) => currentTxnStartOffset >= 0n)
        .map((one) => [one.producerId, one.currentTxnStartOffset] as const)
      return { log, begins: new Map(begins) }
    }),
  )

export const isOpenOf = (open: OpenIn, producerId: bigint): boolean =>
  open.some(({ begins }) => begins.has(producerId))

/** Undefined when nobody has had the id, or Kafka has forgotten it. */
export async function findProducer(
  brokers: Brokers,
  transactionalId: string,
): Promise<KnownProducer | undefined> {
  const request = requestOf(describeTransactionsV0.api, [transactionalId])
  try {
    const { transactionStates } = await brokers.ask({ transactionalId }, request)
    const [state] = transactionStates
    return state && { ...state, isOngoing: state.transactionState === 'Ongoing' }
  } catch (error) {
    if (protocolTypeOf(error) === 'TRANSACTIONAL_ID_NOT_FOUND') return undefined
    throw error
  }
}

type Judging = {
  /** Whoever has the transactional id now: only transactions of former holders are judged, for they have ended. */
  readonly holder: Pick<KnownProducer, 'producerId' | 'producerEpoch'>
  readonly linkHeader: string | undefined
}

/**
 * Whether what is open there of a former holder was committed. Where its part in no log was ended nobody has seen it, and it
 * counts as aborted, as it does where no header links its records.
 */
export async function wasCommitted(
  brokers: Brokers,
  open: OpenIn,
  { holder, linkHeader }: Judging,
): Promise<boolean> {
  if (linkHeader === undefined) return false
  const { producerId } = holder
  const ended = open.filter(({ begins }) => !begins.has(producerId))
  if (ended.length === 0 || ended.length === open.length) return false
  const hanging = new Set<string>()
  for (const { log, begins } of open) {
    const from = begins.get(producerId)
    if (from === undefined) continue
    const to = least(from + TRANSACTION_OFFSETS_MAX, await logEndOf(brokers, log.topic, log))
    for (const part of (await readParts(brokers, log, { from, to, holder, linkHeader })).open)
      hanging.add(part)
  }
  for (const { log } of ended) {
    const to = await logEndOf(brokers, log.topic, log)
    const stretch = { from: to - TRANSACTION_OFFSETS_MAX, to, holder, linkHeader }
    const { committed } = await readParts(brokers, log, stretch)
    if (committed.some((part) => hanging.has(part))) return true
  }
  return false
}

type Stretch = Judging & { readonly from: bigint; readonly to: bigint; readonly linkHeader: string }

/**
 * What identifies a record of a transaction in both logs: what links them, and the producer's epoch, as a former transaction may have
 * been about the same.
 */
type Parts = { readonly open: readonly string[]; readonly committed: readonly string[] }

async function readParts(brokers: Brokers, log: Log, stretch: Stretch): Promise<Parts> {
  const { producerId, producerEpoch } = stretch.holder
  const { linkHeader } = stretch
  const committed: string[] = []
  let open: string[] = []
  for await (const batch of batchesOf(brokers, log, stretch)) {
    if (batch.producerId !== producerId || !batch.isTransactional) continue
    const records = await recordsOf(batch, log.partition)
    if (batch.isMarker) {
      if (isCommit(records)) committed.push(...open)
      open = []
    } else if (batch.producerEpoch < producerEpoch)
      for (const { headers } of records)
        open.push(`${batch.producerEpoch} ${headers[linkHeader]?.toString() ?? ''}`)
  }
  return { open, committed }
}

async function* batchesOf(
  brokers: Brokers,
  log: Log,
  { from, to }: Stretch,
): AsyncGenerator<FetchedBatch> {
  const start = await logStartOf(brokers, log.topic, log)
  for (let next = from > start ? from : start; next < to;) {
    const { records } = await fetchOnce(brokers, log, { ...FETCH, from: next })
    const batches = batchesIn(records)
    yield* batches
    const last = batches.at(-1)
    // A leader that has just become one may not show the end yet.
    if (last === undefined) throw new ProtocolError('OFFSET_NOT_AVAILABLE')
    next = last.next
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
