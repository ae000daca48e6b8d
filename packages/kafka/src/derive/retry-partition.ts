// Deriving one partition's dead records anew, exactly once (docs/adr/0024-dead-records.md). Whoever writes the
// partition holds its transactional id, so first everybody else is fenced, a live deriver too, which then acquires
// the partition anew as after any error; then control state and the rest of the dead partition are read; and
// each transaction holds derived records together with the markers that say their dead records are done with.
// What is done is known by these markers alone, so a crash, or another retry, is found out by reading on.
import { backoff, delay, hasCode } from '@weir/kit'

import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { scanMarkers } from './dead-scan.ts'
import type { DeadEntry, DeadSpan } from './dead-scan.ts'
import { isDead } from './derivation.ts'
import type { Derived, DeriveOptions } from './derivation.ts'
import { endHanging } from '../fence/end-hanging.ts'
import type { Kafka } from '../connect/internals.ts'
import type { AddressedRecord } from '../protocol/out-record.ts'
import { placeRecord } from './place-records.ts'
import type { Placed } from './place-records.ts'
import { readDeadRecords } from './read-dead.ts'
import { createPlacedSender } from './send-placed.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { SVC_RETRIED, SVC_SOURCE, writeSource } from './svc-source.ts'
import { endOffsets } from '../admin/topic-calls.ts'
import { createTransactor } from '../fence/transactor.ts'
import type { Transactor } from '../fence/transactor.ts'
import { TRANSACTION_TIMEOUT_MS, whileOpen } from '../fence/while-open.ts'
import { KafkaError } from '../errors.ts'

export type RetryOptions = Pick<
  DeriveOptions,
  | 'groupId'
  | 'inputTopic'
  | 'outputTopic'
  | 'deadLetterTopic'
  | 'transactionalIdOf'
  | 'mayTake'
  | 'mayCommit'
  | 'onBegin'
  | 'transform'
> & {
  /** Asked between transactions; false ends it, and what is left stays pending. */
  mayGoOn(): boolean
}

export const retryOutcomes = ['passed', 'filtered', 'failedAgain'] as const
export type RetryOutcome = (typeof retryOutcomes)[number]
export type CountRetried = (outcome: RetryOutcome) => void

type Deps = {
  readonly kafka: Kafka
  readonly calls: BrokerCalls
  readonly options: RetryOptions
  readonly count: CountRetried
}

const SLICE_RECORDS_MAX = 500
const ATTEMPTS_MAX = 12
const PAUSE = { minMs: 20, maxMs: 500 }

/** Takes from `pending` what is done with. `span.to` is how far the dead partition was read for it. */
export async function retryPending(
  deps: Deps,
  pending: Map<bigint, DeadEntry>,
  span: DeadSpan,
): Promise<void> {
  const { partition } = span
  const work = createWork(deps, pending, span)
  let attempts = 0
  for (const pauseMs of backoff(PAUSE)) {
    const before = pending.size
    if (before === 0 || !deps.options.mayGoOn()) return
    const transactor = createTransactor(deps.kafka, {
      transactionalId: deps.options.transactionalIdOf(partition),
      timeoutMs: TRANSACTION_TIMEOUT_MS,
    })
    try {
      await transactor.fence()
      return await work.runUnder(transactor)
    } catch (error) {
      if (!hasCode(error, 'kafka.fenced', 'kafka.outcome_unknown', 'kafka.too_large')) throw error
      // Of each refusal it learns; being fenced again and again without getting on leads nowhere.
      if (!hasCode(error, 'kafka.too_large')) attempts = pending.size < before ? 0 : attempts + 1
      if (attempts >= ATTEMPTS_MAX) throw busy(error)
    } finally {
      await transactor.close()
    }
    await delay(pauseMs)
  }
}

function createWork(deps: Deps, pending: Map<bigint, DeadEntry>, span: DeadSpan) {
  const { calls, options, count } = deps
  const { deadLetterTopic, partition } = span
  const sender = createPlacedSender()
  let readTo = span.to
  /** What a transaction holds whose outcome isn't known yet. */
  let unsure = new Set<bigint>()

  /** Nobody else writes the partition any more: what is committed now is all there is. */
  async function readRest(): Promise<void> {
    const ends = await calls.run('read offsets', (cluster) =>
      endOffsets(cluster, deadLetterTopic, 'read_committed'),
    )
    const to = ends[partition] ?? readTo
    await scanMarkers(calls, { ...span, from: readTo, to }, (source, outcome) => {
      if (unsure.delete(source) && pending.has(source))
        count(outcome === 'passed' ? outcome : 'filtered')
      pending.delete(source)
    })
    unsure = new Set()
    readTo = to
  }

  async function retrySlice(transactor: Transactor, records: readonly SourceRecord[]) {
    if (records.length === 0) return
    await whileOpen(options.onBegin, () => commitSlice(transactor, records))
  }

  async function commitSlice(transactor: Transactor, records: readonly SourceRecord[]) {
    const derived = await options.transform(records)
    const placed = records.map((record, index) =>
      placeRetried(options, record, {
        derived: derived[index],
        refusals: sender.refusals(record.offset),
      }),
    )
    const done = placed.filter(({ outcome }) => !isDead(outcome))
    if (done.length > 0) await commit(transactor, done)
    for (const { offset, outcome } of placed) {
      pending.delete(offset)
      count(isDead(outcome) ? 'failedAgain' : outcome === undefined ? 'filtered' : 'passed')
    }
  }

  async function commit(transactor: Transactor, done: readonly Placed[]): Promise<void> {
    try {
      await transactor.transaction(async (transaction) => {
        await sender.send(transaction, done)
        await transaction.send(done.map((placed) => markerOf(span, placed)))
        if (!(options.mayCommit?.() ?? true)) throw new KafkaError('kafka.held_back', 'not now')
      })
    } catch (error) {
      if (hasCode(error, 'kafka.outcome_unknown'))
        unsure = new Set(done.map(({ offset }) => offset))
      throw error
    }
  }

  return {
    async runUnder(transactor: Transactor): Promise<void> {
      if (!(await options.mayTake(partition)))
        throw new KafkaError('kafka.may_not_take', 'the partition may not be derived now')
      await endHanging({ calls, transactor }, options, partition)
      await readRest()
      const entries = [...pending.values()]
      for (let from = 0; from < entries.length && options.mayGoOn(); from += SLICE_RECORDS_MAX) {
        const slice = entries.slice(from, from + SLICE_RECORDS_MAX)
        for await (const { records, gone } of readDeadRecords(calls, span, slice)) {
          for (const entry of gone) {
            pending.delete(entry.source)
            count('failedAgain')
          }
          await retrySlice(transactor, records)
        }
      }
    },
  }
}

/** A derived record that comes late says so, lest anybody take it for how far the derivation is. */
function placeRetried(
  options: RetryOptions,
  record: SourceRecord,
  verdict: { derived: Derived; refusals: number },
): Placed {
  const placed = placeRecord(options, record, verdict)
  if (placed.out === undefined || isDead(placed.outcome)) return placed
  const headers = { ...placed.out.headers, [SVC_RETRIED]: 'passed' }
  return { ...placed, out: { ...placed.out, headers } }
}

function markerOf(span: DeadSpan, { offset, outcome }: Placed): AddressedRecord {
  const { inputTopic: topic, deadLetterTopic, partition } = span
  const headers = {
    [SVC_SOURCE]: writeSource({ topic, partition, offset }),
    [SVC_RETRIED]: outcome === undefined ? 'filtered' : 'passed',
  }
  return { topic: deadLetterTopic, partition, key: null, value: null, headers }
}

const busy = (cause: unknown): KafkaError<'kafka.unavailable'> =>
  new KafkaError('kafka.unavailable', 'Another producer keeps fencing this retry', { cause })
