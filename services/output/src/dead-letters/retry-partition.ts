// Derives one partition's dead letters again, exactly once (docs/adr/0024-dead-records.md). A retry first fences all
// other writers, including the deriver, which acquires the partition again later. Then the retry reads control state
// and the rest of the dead letter partition. Each transaction contains derived records, and a marker for each dead
// letter that is done. Only a marker shows that a dead letter is done, also after a crash or another retry.
import { backoff, delay, hasCode } from '@weir/kit'
import { createTransactor, encodeRecord } from '@weir/kafka'
import type {
  AddressedRecord,
  Kafka,
  LogOffsets,
  RangeReader,
  SourceRecord,
  Transaction,
  Transactor,
} from '@weir/kafka'
import { isDead } from '../derive/transform.ts'
import type { Derived, Transform } from '../derive/transform.ts'
import { refusal } from '../errors.ts'
import { derivedForm, fits } from '../records/forms.ts'
import { SVC_RETRIED, SVC_SOURCE, writeOrigin } from '../records/headers.ts'
import { scanMarkers } from './dead-scan.ts'
import type { DeadEntry, DeadSpan } from './dead-scan.ts'
import { readDeadRecords } from './read-dead.ts'
import { TRANSACTION_TIMEOUT_MS, whileOpen } from './while-open.ts'

/** Partition p of the input is derived into partition p of the other topics. */
export type RetryOptions = {
  readonly inputTopic: string
  readonly outputTopic: string
  readonly deadLetterTopic: string
  transactionalIdOf(partition: number): string
  /** Called after all other writers are fenced. Returns whether this deployment may still derive into the partition. */
  mayTake(): Promise<boolean>
  /** If `transform` throws, none of its records is derived. */
  readonly transform: Transform
  /**
   * Called before records are transformed. The returned function is called once it is certain that the results are
   * committed, or never will be.
   */
  onBegin(): () => void
  /** Called right before each commit. False aborts the transaction. */
  mayCommit(): boolean
  /** Called between transactions. False ends the retry; the remaining records stay pending. */
  mayGoOn(): boolean
}

export const retryOutcomes = ['passed', 'filtered', 'failedAgain'] as const
export type RetryOutcome = (typeof retryOutcomes)[number]
export type CountRetried = (outcome: RetryOutcome) => void

export type RetryDeps = {
  readonly kafka: Kafka
  readonly reader: Pick<RangeReader, 'read'>
  readonly offsets: Pick<LogOffsets, 'earliest' | 'ends'>
}

type Deps = RetryDeps & { readonly options: RetryOptions; readonly count: CountRetried }

type Retry = Deps & {
  readonly span: DeadSpan
  readonly pending: Map<bigint, DeadEntry>
  readTo: bigint
  /** The records of a transaction whose outcome is unknown. */
  unsure: Set<bigint>
  /** Records whose results Kafka has refused. They count as failed again, so that no other record waits for them. */
  readonly refused: Set<bigint>
  /** True while records are sent one by one, to find the one that Kafka refuses. */
  isAlone: boolean
}

const SLICE_RECORDS_MAX = 500
const ATTEMPTS_MAX = 12
const PAUSE = { minMs: 20, maxMs: 500 }

/**
 * Retries the records in `pending`, and removes records that have an outcome. All markers before `span.to` must be
 * applied to `pending`.
 */
export async function retryPending(
  deps: Deps,
  pending: Map<bigint, DeadEntry>,
  span: DeadSpan,
): Promise<void> {
  const begun = { readTo: span.to, unsure: new Set<bigint>(), refused: new Set<bigint>() }
  const retry: Retry = { ...deps, ...begun, span, pending, isAlone: false }
  let attempts = 0
  for (const pauseMs of backoff(PAUSE)) {
    const before = pending.size
    if (before === 0 || !deps.options.mayGoOn()) return
    const transactor = openTransactor(retry)
    try {
      await transactor.fence()
      return await runUnder(retry, transactor)
    } catch (error) {
      if (!hasCode(error, 'kafka.fenced', 'kafka.outcome_unknown', 'kafka.record_refused'))
        throw error
      // A refusal helps to find the refused record, so it is not counted. Other attempts without progress are limited.
      if (!hasCode(error, 'kafka.record_refused'))
        attempts = pending.size < before ? 0 : attempts + 1
      if (attempts >= ATTEMPTS_MAX)
        throw refusal('unavailable', 'Another producer keeps fencing this retry', { cause: error })
    } finally {
      await transactor.close()
    }
    await delay(pauseMs)
  }
}

function openTransactor({ kafka, options, span: { partition } }: Retry): Transactor {
  const topics = [options.outputTopic, options.deadLetterTopic]
  const partitions = topics.map((topic) => ({ topic, partition }))
  return createTransactor(kafka, {
    transactionalId: options.transactionalIdOf(partition),
    timeoutMs: TRANSACTION_TIMEOUT_MS,
    logs: { partitions, linkHeader: SVC_SOURCE },
  })
}

async function runUnder(retry: Retry, transactor: Transactor): Promise<void> {
  const { options, span, pending, count } = retry
  if (!(await options.mayTake()))
    throw refusal('stream_disabled', 'The stream was disabled or deleted meanwhile')
  await readRest(retry)
  const entries = [...pending.values()]
  for (let from = 0; from < entries.length && options.mayGoOn(); from += SLICE_RECORDS_MAX) {
    const slice = entries.slice(from, from + SLICE_RECORDS_MAX)
    for await (const { records, gone } of readDeadRecords(retry, span, slice)) {
      for (const entry of gone) {
        pending.delete(entry.source)
        count('failedAgain')
      }
      if (records.length > 0)
        await whileOpen(options.onBegin, () => retrySlice(retry, transactor, records))
    }
  }
}

/**
 * Reads the markers in the rest of the partition. All other writers are fenced, so the committed records are complete.
 */
async function readRest(retry: Retry): Promise<void> {
  const { offsets, reader, span, pending, unsure, readTo, count } = retry
  const ends = await offsets.ends(span.deadLetterTopic, { isolation: 'read_committed' })
  const to = ends[span.partition] ?? readTo
  await scanMarkers(reader, { ...span, from: readTo, to }, (source, outcome) => {
    if (unsure.delete(source) && pending.has(source))
      count(outcome === 'passed' ? outcome : 'filtered')
    pending.delete(source)
  })
  retry.unsure = new Set()
  retry.readTo = to
}

type Retried = {
  readonly offset: bigint
  readonly outcome: RetryOutcome
  readonly out: readonly AddressedRecord[]
}

async function retrySlice(
  retry: Retry,
  transactor: Transactor,
  records: readonly SourceRecord[],
): Promise<void> {
  const derived = await retry.options.transform(records)
  const retried = records.map(({ offset }, index) => retriedAs(retry, offset, derived[index]))
  const done = retried.filter(({ outcome }) => outcome !== 'failedAgain')
  if (done.length > 0) await commit(retry, transactor, done)
  for (const { offset, outcome } of retried) {
    retry.pending.delete(offset)
    retry.count(outcome)
  }
}

function retriedAs({ options, span, refused }: Retry, offset: bigint, derived: Derived): Retried {
  if (derived === undefined) return { offset, outcome: 'filtered', out: [] }
  const failed: Retried = { offset, outcome: 'failedAgain', out: [] }
  if (isDead(derived) || refused.has(offset)) return failed
  const { sourceTopic, partition } = span
  const form = derivedForm({ topic: sourceTopic, partition, offset }, derived)
  if (!fits(encodeRecord(form))) return failed
  // Marked as retried. A retried record is late, so it must not count as the partition's position.
  const headers = { ...form.headers, [SVC_RETRIED]: 'passed' }
  const out = [{ ...form, topic: options.outputTopic, partition, headers }]
  return { offset, outcome: 'passed', out }
}

async function commit(
  retry: Retry,
  transactor: Transactor,
  done: readonly Retried[],
): Promise<void> {
  try {
    await transactor.transaction(async (transaction) => {
      await sendDerived(retry, transaction, done)
      await transaction.send(done.map((one) => markerOf(retry.span, one)))
      if (!retry.options.mayCommit())
        throw refusal(
          'unavailable',
          'Control state is stale, or the stream was disabled meanwhile; try again',
        )
    })
  } catch (error) {
    if (hasCode(error, 'kafka.outcome_unknown'))
      retry.unsure = new Set(done.map(({ offset }) => offset))
    throw error
  }
}

async function sendDerived(
  retry: Retry,
  { send }: Transaction,
  done: readonly Retried[],
): Promise<void> {
  const passed = done.filter(({ out }) => out.length > 0)
  for (const together of retry.isAlone ? passed.map((one) => [one]) : [passed]) {
    try {
      await send(together.flatMap(({ out }) => out))
    } catch (error) {
      if (hasCode(error, 'kafka.record_refused')) learn(retry, together)
      throw error
    }
  }
}

/**
 * Remembers a refused record that was sent alone. If several records were sent together, records are sent one by one
 * from now on.
 */
function learn(retry: Retry, [first, ...others]: readonly Retried[]): void {
  if (others.length > 0) retry.isAlone = true
  else if (first !== undefined) retry.refused.add(first.offset)
}

function markerOf(span: DeadSpan, { offset, outcome }: Retried): AddressedRecord {
  const { sourceTopic: topic, deadLetterTopic, partition } = span
  const headers = {
    [SVC_SOURCE]: writeOrigin({ topic, partition, offset }),
    [SVC_RETRIED]: outcome,
  }
  return { topic: deadLetterTopic, partition, key: null, value: null, headers }
}
