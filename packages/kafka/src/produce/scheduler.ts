// Decides when batches are sent. Queues records by partition, sends each partition's next batch at the end of the event
// loop's turn, and gives every send exactly one outcome. Ensures that no record waits longer than the time-out, and
// that the waiting bytes stay within their limit.
import { fairShare, oncePerTurn, withTimeout } from '@weir/kit'
import type { Log } from '@weir/kit'

import type { BatchProducer, BatchProducerOptions, Destination, Waiter } from './types.ts'
import { countOf, isOver } from './batch.ts'
import type { Delivery, DeliveryOutcome } from './delivery.ts'
import {
  createLane,
  expireBatch,
  expireQueue,
  putBackInHalves,
  recordBytes,
  rejectAll,
  resolveAll,
  takeBatch,
} from './lane.ts'
import type { LaneBatch, Lane, Party } from './lane.ts'
import type { Pace } from './pace.ts'
import {
  CLOSED,
  FORGOTTEN,
  FULL,
  NOT_ANSWERED_IN_TIME,
  NOT_A_TIME,
  NOT_SENT_IN_TIME,
  TOO_LARGE,
  mayBeStored,
  notStored,
} from './rejections.ts'
import { startAnew, wrote } from './writer.ts'
import { bodyBytesOf } from '../protocol/record-batch.ts'
import type { ProduceRecord } from '../protocol/record-batch.ts'

export type SchedulerOptions = BatchProducerOptions & {
  readonly batchBytesMax: number
  /** Limits a batch further while a broker throttles. */
  readonly pace?: Pick<Pace, 'bytesMax'>
  /** Called for a batch in flight that no caller waits for any more, or whose topic was forgotten. */
  readonly giveUp?: (batch: LaneBatch) => void
}

export type Scheduler = Pick<BatchProducer, 'send' | 'post' | 'inFlightBytes'> & {
  forgetTopic(topic: string): void
  /** Takes no more records. Resolves when every accepted record has its outcome, within the time-out. */
  drain(): Promise<void>
}

type State = {
  readonly log: Log
  readonly options: SchedulerOptions
  readonly deliver: Delivery<LaneBatch>
  readonly elapsed: () => number
  readonly lanes: Map<string, (Lane | undefined)[]>
  readonly parties: Map<string, Party>
  /** Lanes with records that are queued or in flight. */
  readonly active: Set<Lane>
  ready: Lane[]
  inFlightBytes: number
  isClosing: boolean
  sweepMs: number
  sweep: NodeJS.Timeout | undefined
  onIdle: () => void
  complainedAtMs: number
}

const COMPLAIN_EVERY_MS = 1_000
/** Records share requests. A record with a short deadline must not end a request early for other records. */
const PATIENCE_MS_MIN = 2_500

export function createScheduler(
  deliver: Delivery<LaneBatch>,
  log: Log,
  options: SchedulerOptions,
): Scheduler {
  const state: State = {
    log,
    options,
    deliver,
    elapsed: oncePerTurn(() => performance.now()),
    lanes: new Map(),
    parties: new Map(),
    active: new Set(),
    ready: [],
    inFlightBytes: 0,
    isClosing: false,
    // Records are rejected at most this long before their deadline, and never after it.
    sweepMs: Math.min(100, Math.max(5, options.produceTimeoutMs / 50)),
    sweep: undefined,
    onIdle: () => undefined,
    complainedAtMs: -Infinity,
  }
  return {
    send: (topic, partition, record) =>
      new Promise((resolve, reject) =>
        post(state, { topic, partition }, record, { resolve, reject }),
      ),
    post: (to, record, waiter) => post(state, to, record, waiter),
    inFlightBytes: () => state.inFlightBytes,
    forgetTopic: (topic) => forgetTopic(state, topic),
    drain: () => drain(state),
  }
}

function post(state: State, to: Destination, record: ProduceRecord, waiter: Waiter): void {
  if (state.isClosing) return waiter.reject(CLOSED)
  // A record that can't be encoded would make its whole batch fail.
  if (!Number.isSafeInteger(record.timestampMs)) return waiter.reject(NOT_A_TIME)
  const bodyBytes = bodyBytesOf(record)
  const bytes = recordBytes({ record, bodyBytes })
  const lane = laneOf(state, to.topic, to.partition)
  if (!hasRoom(state, lane, bytes)) return waiter.reject(FULL)
  const deadlineMs = state.elapsed() + state.options.produceTimeoutMs
  take(state, lane, bytes)
  lane.queue.push({ record, bodyBytes, deadlineMs, waiter })
  if (lane.batch === undefined) makeReady(state, lane)
}

/**
 * Each party has a share of the limit, and each partition has a share of its party's share. So a stuck partition leaves
 * room for other parties, and for its party's other partitions. A party's first record needs room only in the total.
 */
function hasRoom({ inFlightBytes, options }: State, lane: Lane, bytes: number): boolean {
  const { party } = lane
  const total = options.inFlightBytesMax
  const ofParty = party.bytes === 0 ? total : fairShare(total, inFlightBytes - party.bytes)
  const ofLane = lane.bytes === 0 ? ofParty : fairShare(ofParty, party.bytes - lane.bytes)
  return (
    inFlightBytes + bytes <= total && party.bytes + bytes <= ofParty && lane.bytes + bytes <= ofLane
  )
}

function take(state: State, lane: Lane, bytes: number): void {
  state.inFlightBytes += bytes
  lane.party.bytes += bytes
  lane.bytes += bytes
}

function laneOf(state: State, topic: string, partition: number): Lane {
  let ofTopic = state.lanes.get(topic)
  if (ofTopic === undefined) state.lanes.set(topic, (ofTopic = []))
  const { batchBytesMax, produceTimeoutMs, compression = 'none' } = state.options
  const patienceMs = Math.max(PATIENCE_MS_MIN, produceTimeoutMs / 2)
  return (ofTopic[partition] ??= createLane(topic, partition, {
    party: partyOf(state, topic),
    batchBytesMax,
    patienceMs,
    compression,
  }))
}

function partyOf({ options, parties }: State, topic: string): Party {
  const name = options.partyOf?.(topic) ?? topic
  const known = parties.get(name)
  if (known !== undefined) return known
  const party = { bytes: 0 }
  parties.set(name, party)
  return party
}

// All records that arrive in this turn of the event loop are sent together, right after it.
function makeReady(state: State, lane: Lane): void {
  if (lane.isReady) return
  lane.isReady = true
  state.active.add(lane)
  state.sweep ??= setInterval(() => sweep(state), state.sweepMs).unref()
  if (state.ready.push(lane) === 1) setImmediate(() => flush(state))
}

function flush(state: State): void {
  const lanes = state.ready
  state.ready = []
  const nowMs = performance.now()
  for (const lane of lanes) {
    lane.isReady = false
    take(state, lane, -expireQueue(lane, nowMs, NOT_SENT_IN_TIME))
    const batch = takeBatch(lane, state.options.pace?.bytesMax())
    if (batch) void run(state, lane, batch)
    else settle(state, lane)
  }
}

async function run(state: State, lane: Lane, batch: LaneBatch): Promise<void> {
  const startedMs = performance.now()
  const outcome = await state.deliver(batch).catch(asUnknown)
  lane.batch = undefined
  take(state, lane, -batch.bytes)
  if (outcome.kind === 'stored') {
    wrote(lane.writer, countOf(batch))
    resolveAll(batch)
  } else refuse(state, lane, batch, outcome)
  settle(state, lane)
  if (outcome.kind !== 'stored' || !state.options.onBatch) return
  const ms = performance.now() - startedMs
  state.options.onBatch({ records: batch.records.length, bytes: batch.bytes, ms })
}

function refuse(state: State, lane: Lane, batch: LaneBatch, outcome: DeliveryOutcome): void {
  if (outcome.kind === 'unknown' || outcome.kind === 'fenced') {
    startAnew(lane.writer)
    complain(state, batch, outcome.cause)
    return rejectAll(batch, mayBeStored(outcome.cause))
  }
  if (outcome.kind !== 'too_large' || !batch.maySendAgain) {
    const cause = outcome.kind === 'not_stored' ? outcome.cause : batch.trouble
    complain(state, batch, cause)
    return rejectAll(batch, notStored(cause))
  }
  if (batch.records.length === 1) return rejectAll(batch, TOO_LARGE)
  const waiting = batch.records.slice(batch.answered)
  take(
    state,
    lane,
    waiting.reduce((sum, record) => sum + recordBytes(record), 0),
  )
  putBackInHalves(lane, batch)
}

function settle(state: State, lane: Lane): void {
  if (lane.queue.length > 0) return makeReady(state, lane)
  state.active.delete(lane)
  if (state.active.size === 0) state.onIdle()
}

function sweep(state: State): void {
  if (state.active.size === 0) {
    clearInterval(state.sweep)
    state.sweep = undefined
    return
  }
  const untilMs = performance.now() + state.sweepMs
  for (const lane of state.active) {
    take(state, lane, -expireQueue(lane, untilMs, NOT_SENT_IN_TIME))
    const { batch } = lane
    if (!batch) continue
    expireBatch(batch, untilMs, batch.isDoubtful ? NOT_ANSWERED_IN_TIME : NOT_SENT_IN_TIME)
    // No caller waits for the batch any more, but it would delay the partition's later batches.
    if (isOver(batch)) state.options.giveUp?.(batch)
  }
}

function forgetTopic(state: State, topic: string): void {
  for (const lane of state.lanes.get(topic) ?? []) {
    if (!lane) continue
    take(state, lane, -expireQueue(lane, Infinity, FORGOTTEN))
    if (!lane.batch) continue
    lane.batch.maySendAgain = false
    // A batch that may be stored still gets its outcome from the broker's response, if one arrives.
    if (!lane.batch.isDoubtful) rejectAll(lane.batch, FORGOTTEN)
    state.options.giveUp?.(lane.batch)
  }
  state.lanes.delete(topic)
}

async function drain(state: State): Promise<void> {
  state.isClosing = true
  if (state.active.size === 0) return
  const idle = new Promise<void>((resolve) => {
    state.onIdle = resolve
  })
  await withTimeout(idle, state.options.produceTimeoutMs, 'closing').catch(() => undefined)
}

// Logs at most once a second, because all partitions of a broker fail together.
function complain(state: State, { topic, partition }: LaneBatch, cause: unknown): void {
  const nowMs = performance.now()
  if (nowMs - state.complainedAtMs < COMPLAIN_EVERY_MS) return
  state.complainedAtMs = nowMs
  const reason = cause instanceof Error ? cause.message : 'unknown'
  state.log.warn({ topic, partition, reason }, 'records were not acknowledged')
}

function asUnknown(cause: unknown): DeliveryOutcome {
  return { kind: 'unknown', cause }
}
