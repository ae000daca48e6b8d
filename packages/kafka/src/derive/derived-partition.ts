// One partition of a derivation while it is ours (docs/architecture.md 4). Acquiring it has one order: fence
// the former owner and end what he had begun; ask whether we may; only then read how far the group is. Every
// transaction holds the derived records, the dead ones and the group's new offset, so all count or none. After
// any error of Kafka's the partition is released, to be acquired anew.
import type { Batch, EachBatchPayload } from 'kafkajs'

import { hasCode } from '@weir/kit'

import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { isDead } from './derivation.ts'
import type { DeadAt, DeriveOptions } from './derivation.ts'
import { endHanging } from '../fence/end-hanging.ts'
import { findPosition } from './find-position.ts'
import type { Kafka } from '../connect/internals.ts'
import { placeRecord } from './place-records.ts'
import type { Placed } from './place-records.ts'
import { createPlacedSender } from './send-placed.ts'
import { toSourceRecord } from '../protocol/source-record.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { createTransactor } from '../fence/transactor.ts'
import type { Transactor } from '../fence/transactor.ts'
import { TRANSACTION_TIMEOUT_MS, whileOpen } from '../fence/while-open.ts'
import { KafkaError } from '../errors.ts'

export type PartitionDeps = {
  readonly kafka: Kafka
  readonly calls: BrokerCalls
  readonly options: DeriveOptions
  /** Asked between transactions, and before each commit. */
  mayGoOn(): boolean
  seek(offset: bigint): void
}

export type DerivedPartition = {
  /** Derives the batch, or as much of it as may be; what isn't resolved will come again. */
  derive(payload: Pick<EachBatchPayload, 'batch' | 'resolveOffset'>): Promise<void>
  /** A batch without records, which kafkajs goes past by itself. */
  pass(firstOffset: bigint | undefined, lastOffset: bigint): void
  /** The next offset to be derived, as last known. */
  position(): bigint | undefined
  /** To be acquired anew before the next batch: somebody else might have had it meanwhile. */
  expire(): Promise<void>
}

type Acquired = { readonly transactor: Transactor; next: bigint }
type Slice = { readonly records: SourceRecord[]; readonly next: bigint; readonly last: string }

const IDLE_MS = 60_000
const SLICE_RECORDS_MAX = 2_000

export function createDerivedPartition(deps: PartitionDeps, partition: number): DerivedPartition {
  const { kafka, calls, options, mayGoOn } = deps
  const sender = createPlacedSender()
  let acquired: Acquired | undefined
  let position: bigint | undefined
  let lostCountedTo = 0n
  let isWorking = false
  let isExpired = false
  let idle: NodeJS.Timeout | undefined

  async function release(): Promise<void> {
    clearTimeout(idle)
    const transactor = acquired?.transactor
    acquired = undefined
    isExpired = false
    await transactor?.close()
  }

  async function acquire(): Promise<Acquired> {
    await release()
    const transactor = createTransactor(kafka, {
      transactionalId: options.transactionalIdOf(partition),
      timeoutMs: TRANSACTION_TIMEOUT_MS,
      awaitVisible: false,
    })
    try {
      await transactor.fence()
      if (!(await options.mayTake(partition))) {
        throw new KafkaError('kafka.may_not_take', 'the partition may not be derived now')
      }
      await endHanging({ calls, transactor }, options, partition)
      const { next, wanted } = await findPosition(calls, options, partition)
      countLost(wanted, next)
      position = next
      return { transactor, next }
    } catch (error) {
      await transactor.close()
      throw error
    }
  }

  function countLost(wanted: bigint, next: bigint): void {
    const from = wanted > lostCountedTo ? wanted : lostCountedTo
    if (next <= from || wanted >= next) return
    options.onLost?.(next - from, partition)
    lostCountedTo = next
  }

  /** Undefined when the batch isn't what comes next: then what comes next is sought. */
  async function own(fetched: bigint): Promise<Acquired | undefined> {
    if (isExpired || acquired?.next !== fetched) acquired = await acquire()
    if (acquired.next === fetched) return acquired
    deps.seek(acquired.next)
    return undefined
  }

  async function placeAll(records: readonly SourceRecord[]): Promise<Placed[]> {
    const derived = await options.transform(records)
    if (derived.length !== records.length) throw new TypeError('transform left records out')
    return records.map((record, index) =>
      placeRecord(options, record, {
        derived: derived[index],
        refusals: sender.refusals(record.offset),
      }),
    )
  }

  const deriveSlice = (transactor: Transactor, slice: Slice): Promise<void> =>
    whileOpen(options.onBegin, () => commitSlice(transactor, slice))

  async function commitSlice(transactor: Transactor, { records, next }: Slice): Promise<void> {
    const placed = await placeAll(records)
    try {
      await transactor.transaction(async (transaction) => {
        const offsets = new Map([[partition, next]])
        const { groupId, inputTopic: topic } = options
        await Promise.all([
          sender.send(transaction, placed),
          transaction.sendOffsets({ groupId, topic, offsets }),
        ])
        const mayCommit = mayGoOn() && (options.mayCommit?.() ?? true)
        if (!mayCommit) throw new KafkaError('kafka.held_back', 'not now')
      })
    } catch (error) {
      if (!hasCode(error, 'kafka.held_back')) await release()
      throw error
    }
    sender.clear()
    const outcomes = placed.map(({ outcome }) => outcome)
    options.onCommitted?.(outcomes)
    if (outcomes.some(isDead)) options.onDead?.(deadOf(placed), partition)
  }

  async function deriveBatch(batch: Batch, resolveOffset: (offset: string) => void): Promise<void> {
    const owned = await own(fetchedOffsetOf(batch))
    if (!owned) return
    for (const slice of slicesOf(batch, partition)) {
      if (!mayGoOn()) return
      await deriveSlice(owned.transactor, slice)
      owned.next = slice.next
      position = slice.next
      resolveOffset(slice.last)
    }
  }

  return {
    async derive({ batch, resolveOffset }) {
      isWorking = true
      clearTimeout(idle)
      try {
        await deriveBatch(batch, resolveOffset)
      } finally {
        isWorking = false
        if (isExpired) await release()
        else idle = setTimeout(() => void release(), IDLE_MS)
      }
    },
    pass(firstOffset, lastOffset) {
      if (!acquired || firstOffset === undefined || firstOffset > acquired.next) return
      if (lastOffset >= acquired.next) acquired.next = lastOffset + 1n
    },
    position: () => position,
    async expire() {
      isExpired = true
      if (!isWorking) await release()
    },
  }
}

function deadOf(placed: readonly Placed[]): DeadAt[] {
  return placed.flatMap(({ offset, outcome }) =>
    isDead(outcome) ? [{ offset, code: outcome.dead }] : [],
  )
}

function* slicesOf(batch: Batch, partition: number): Generator<Slice> {
  const { messages } = batch
  for (let from = 0; from < messages.length; from += SLICE_RECORDS_MAX) {
    const slice = messages.slice(from, from + SLICE_RECORDS_MAX)
    const last = slice.at(-1)?.offset ?? batch.lastOffset()
    // The batch's own end may lie further: transaction markers.
    const isEnd = from + SLICE_RECORDS_MAX >= messages.length
    const next = BigInt(isEnd ? batch.lastOffset() : last) + 1n
    const records = slice.map((message) => toSourceRecord(partition, message))
    yield { records, next, last }
  }
}

// Where kafkajs has fetched from; its types leave it out. Records may begin later: offsets have gaps.
function fetchedOffsetOf(batch: Batch): bigint {
  if ('fetchedOffset' in batch && typeof batch.fetchedOffset === 'string') {
    return BigInt(batch.fetchedOffset)
  }
  throw new TypeError('this kafkajs does not tell where a batch was fetched from')
}
