// A lane is the only writer of a partition, with the producer identity of a fence. Each append is stored as a whole,
// once and in the order of the calls, or not at all. A retry sends the same bytes until the broker reports the outcome,
// or the lane is closed. After a refused append nothing more is stored. So if a reader finds an append in the log, all
// earlier appends are in the log, too.
import type { WireBatch } from './batch.ts'
import { countOf } from './batch.ts'
import type { Delivery, DeliveryOutcome } from './delivery.ts'
import type { Identity } from './identities.ts'
import type { ProduceRequests } from './requests.ts'
import { sequenceAfter } from './writer.ts'
import type { EncodedRecord } from '../protocol/record-batch.ts'
import { KafkaError } from '../errors.ts'

export type LanePlace = {
  readonly topic: string
  readonly partition: number
  /** An identity that has written nothing since the fence. */
  readonly identity: Identity
}

export type AppendLane = {
  /**
   * Resolves with the offset of the first record. Rejects with KafkaError `kafka.too_large`, `kafka.fenced` if there is
   * another writer, or `kafka.outcome_unknown`. The first error ends the lane, and later appends reject with
   * `kafka.not_sent`. After `too_large` and `not_sent` the records are certainly not stored.
   */
  append(records: readonly EncodedRecord[]): Promise<bigint>
  /** Unconfirmed appends may or may not be stored. */
  close(): void
}

export type AppendBatch = WireBatch & { readonly identity: Identity; readonly sequence: number }

type Append = {
  readonly records: readonly EncodedRecord[]
  readonly bytes: number
  /** True if the append was refused together with others. Then it is sent in a batch of its own. */
  isAlone: boolean
  resolve(offset: bigint): void
  reject(error: unknown): void
}

type LaneDeps = {
  readonly deliver: Delivery<AppendBatch>
  readonly giveUp: ProduceRequests['giveUp']
}

type State = LanePlace & {
  readonly deps: LaneDeps
  waiting: Append[]
  out: { readonly appends: readonly Append[]; readonly batch: AppendBatch } | undefined
  sequence: number
  /** The topic's id, known from the first batch on. */
  topicId: string | undefined
  hasEnded: boolean
}

const BATCH_BYTES_MAX = 900_000
const RECORD_OVERHEAD_BYTES = 24
const PATIENCE_MS = 5_000

export function createAppendLane(place: LanePlace, deps: LaneDeps): AppendLane {
  const begun = { waiting: [], out: undefined, sequence: 0, topicId: undefined, hasEnded: false }
  const state: State = { ...place, ...begun, deps }
  return {
    append: (records) =>
      new Promise((resolve, reject) => {
        if (state.hasEnded) return reject(NOT_STORED)
        const bytes = records.reduce((sum, one) => sum + one.bodyBytes + RECORD_OVERHEAD_BYTES, 0)
        state.waiting.push({ records, bytes, isAlone: false, resolve, reject })
        pump(state)
      }),
    close: () => close(state),
  }
}

function pump(state: State): void {
  if (state.out !== undefined || state.waiting.length === 0) return
  const appends = state.waiting.splice(0, groupLength(state.waiting))
  const batch = batchOf(state, appends)
  state.out = { appends, batch }
  void state.deps.deliver(batch).then(
    (outcome) => settle(state, { appends, batch, outcome }),
    (cause: unknown) => endWith(state, unknown(cause)),
  )
}

/** Returns the number of waiting appends that fit into one batch, at least one. */
function groupLength(waiting: readonly Append[]): number {
  let bytes = 0
  const end = waiting.findIndex((append, at) => {
    bytes += append.bytes
    return at > 0 && (bytes > BATCH_BYTES_MAX || append.isAlone || waiting[0]?.isAlone === true)
  })
  return end === -1 ? waiting.length : end
}

const batchOf = (
  { topic, partition, identity, sequence, topicId }: State,
  appends: readonly Append[],
): AppendBatch => ({
  topic,
  partition,
  identity,
  sequence,
  topicId,
  records: appends.flatMap(({ records }) => records),
  bytes: appends.reduce((sum, { bytes }) => sum + bytes, 0),
  patienceMs: PATIENCE_MS,
  compression: 'none',
  answered: 0,
  maySendAgain: true,
  producer: undefined,
  from: undefined,
  isDoubtful: false,
  trouble: undefined,
})

type Settling = {
  readonly appends: readonly Append[]
  readonly batch: AppendBatch
  readonly outcome: DeliveryOutcome
}

function settle(state: State, { appends, batch, outcome }: Settling): void {
  if (state.hasEnded) return
  state.topicId = batch.topicId
  if (outcome.kind === 'stored') {
    state.out = undefined
    state.sequence = sequenceAfter(state.sequence, countOf(batch))
    let { offset } = outcome
    for (const { records, resolve } of appends) {
      resolve(offset)
      offset += BigInt(records.length)
    }
    return pump(state)
  }
  if (outcome.kind === 'too_large') return refuse(state, appends)
  const cause = 'cause' in outcome ? outcome.cause : undefined
  endWith(state, outcome.kind === 'unknown' ? unknown(cause) : fenced(cause))
}

/** If a batch of several appends is refused, each is sent alone, because the broker doesn't say which is too large. */
function refuse(state: State, appends: readonly Append[]): void {
  if (appends.length === 1) return endWith(state, TOO_LARGE)
  for (const append of appends) append.isAlone = true
  state.waiting.unshift(...appends)
  state.out = undefined
  pump(state)
}

function endWith(state: State, error: KafkaError): void {
  state.hasEnded = true
  for (const { reject } of state.out?.appends ?? []) reject(error)
  for (const { reject } of state.waiting.splice(0)) reject(NOT_STORED)
  state.out = undefined
}

function close(state: State): void {
  if (state.hasEnded) return
  const batch = state.out?.batch
  endWith(state, batch?.isDoubtful ? unknown(batch.trouble) : NOT_STORED)
  if (batch === undefined) return
  batch.answered = batch.records.length
  state.deps.giveUp(batch)
}

const TOO_LARGE = new KafkaError('kafka.too_large', 'the records are too large to be stored')
const NOT_STORED = new KafkaError('kafka.not_sent', 'not stored')
const unknown = (cause: unknown): KafkaError =>
  new KafkaError('kafka.outcome_unknown', 'it is not known whether the records are stored', {
    cause,
  })
const fenced = (cause: unknown): KafkaError =>
  new KafkaError('kafka.fenced', 'another producer has the right to write to this partition', {
    cause,
  })
