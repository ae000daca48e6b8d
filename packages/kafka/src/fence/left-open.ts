// Finds transactions that are still open in logs, and whether they were committed. If a partition has no leader when a
// transaction ends, Kafka 4.3.1 writes no marker there (KAFKA-20734). The transaction stays open there, and the
// producer's next marker decides its outcome. If the transaction also has records in another log, the marker in that
// log shows the true outcome. So each transaction counts in all logs or in none.
import { ProtocolError, describeProducersV0, describeTransactionsV0 } from '#client-library'

import { logEndOf, logStartOf } from '../connect/topic-calls.ts'
import type { KafkaBrokers } from '../connect/broker-calls.ts'
import { protocolTypeOf } from '../connect/faults.ts'
import { requestOf } from '../connect/requests.ts'
import { batchesIn, isCommit, recordsOf } from '../protocol/fetched-batches.ts'
import type { FetchedBatch } from '../protocol/fetched-batches.ts'
import { fetchOnce } from '../read/fetch-once.ts'
import type { LedPartition } from '../read/fetch-once.ts'

export type OwnLog = LedPartition & { readonly topic: string }

/** The open transactions of each log, in the order of the logs. */
export type OpenIn = readonly {
  readonly log: OwnLog
  /** The first offset of each open transaction, by producer id. */
  readonly begins: ReadonlyMap<bigint, bigint>
}[]

/** What the coordinator reports about a transactional id. */
export type KnownProducer = {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** Whether the id has a transaction that hasn't ended. */
  readonly isOngoing: boolean
}

/** How many offsets of a log are searched for a transaction's outcome, including markers. */
const TRANSACTION_OFFSETS_MAX = 2_000n
const FETCH = {
  bytesMax: 1_048_576,
  waitMs: 0,
  isCommittedOnly: false,
  purpose: 'control',
} as const

/** Asks the leaders which transactions are open in their logs. Records count even if they aren't replicated yet. */
export const findOpen = (brokers: KafkaBrokers, logs: readonly OwnLog[]): Promise<OpenIn> =>
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

/** Returns undefined if the id was never used, or Kafka has forgotten it. */
export async function findProducer(
  brokers: KafkaBrokers,
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
  /**
   * The present holder of the transactional id. Only transactions of former holders are examined, because only these
   * have ended.
   */
  readonly holder: Pick<KnownProducer, 'producerId' | 'producerEpoch'>
  readonly linkHeader: string | undefined
}

/**
 * Returns whether a former holder's open transaction was committed in another log. A transaction that has ended in no
 * log counts as aborted, because no reader has seen it. Without `linkHeader`, each transaction counts as aborted.
 */
export async function wasCommitted(
  brokers: KafkaBrokers,
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
 * The records of open and committed transactions, by link header and producer epoch. The epoch is necessary because an
 * older transaction may have had the same header.
 */
type Parts = { readonly open: readonly string[]; readonly committed: readonly string[] }

async function readParts(brokers: KafkaBrokers, log: OwnLog, stretch: Stretch): Promise<Parts> {
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
  brokers: KafkaBrokers,
  log: OwnLog,
  { from, to }: Stretch,
): AsyncGenerator<FetchedBatch> {
  const start = await logStartOf(brokers, log.topic, log)
  for (let next = from > start ? from : start; next < to;) {
    const { records } = await fetchOnce(brokers, log, { ...FETCH, from: next })
    const batches = batchesIn(records)
    yield* batches
    const last = batches.at(-1)
    // A new leader may not return the latest records yet.
    if (last === undefined) throw new ProtocolError('OFFSET_NOT_AVAILABLE')
    next = last.next
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
