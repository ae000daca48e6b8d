// Derives records for a stream and appends the results to its logs, in order. Stops when the turn is over, or when the
// stream can't take the next record (then `hold` is the reason). Two rules apply. Dead letters are a barrier: they are
// sent after all earlier records are stored, and no record follows before they are stored. An outcome that control
// state may still change counts only after control state was read to its end.
import type { EncodedRecord } from '@weir/kafka'
import type { Span } from '@weir/trace'
import { mayChange, waits } from '../errors.ts'
import { deadLetterOf, outcomeOf, passing } from './reading.ts'
import type { InputSide, Outcome, Passed, FlowReading } from './reading.ts'
import type { Counts, DeadAt, Hold, Pending, Stream } from './stream.ts'

export type TakenPiece = {
  readonly readings: readonly FlowReading[]
  /** The offset after these records. All existing records before this offset are in this piece or in an earlier one. */
  readonly next: bigint
}

export type Taking = {
  readonly input: InputSide
  /** See `Openings.begin`. */
  begin(): () => void
  /** See `FlowTurns.isOver`. */
  isOver(): boolean
  /** The stream is no longer on hold, because pending records are stored. */
  settled(stream: Stream): void
  /** The stream's logs have refused records. */
  refused(stream: Stream, error: unknown, first: Pending): void
  /** Reads control state to its end. The stream is on hold until then. */
  look(stream: Stream, upTo: bigint): void
  /** Puts the stream on hold because of the error. The stream tries again later. */
  pause(stream: Stream, error: unknown): void
}

const APPEND_BYTES_MAX = 800_000
const DEAD_AT_ONCE = 200
const PENDING_BYTES_MAX = 1_572_864

/** The records that will be appended together. */
type Gathered = Counts & {
  readonly records: EncodedRecord[]
  /** The input offset of the first record. */
  first: bigint
  bytes: number
  readonly dead: DeadAt[]
  readonly spans: Span[]
  readonly over: () => void
}

/** Returns the number of taken readings. */
export function take(taking: Taking, stream: Stream, piece: TakenPiece): number {
  const { readings } = piece
  if (stream.owned === undefined || stream.hold !== undefined) return 0
  let gathered = gather(taking)
  let at = 0
  for (; at < readings.length && stream.hold === undefined; at++) {
    if (at > 0 && taking.isOver()) break
    const reading = readings[at]
    if (reading === undefined || reading.record.offset < stream.next) continue
    if (!takeOne({ taking, stream, piece }, reading, gathered)) break
    if (isFull(stream, gathered)) {
      handOver(taking, stream, gathered, reading.record.offset + 1n)
      gathered = gather(taking)
    }
  }
  const isAll = at === readings.length
  handOver(
    taking,
    stream,
    gathered,
    isAll ? piece.next : (readings[at]?.record.offset ?? piece.next),
  )
  return at
}

type Turn = { readonly taking: Taking; readonly stream: Stream; readonly piece: TakenPiece }

/** Returns false if the record must be taken later. */
function takeOne(turn: Turn, reading: FlowReading, gathered: Gathered): boolean {
  const { taking, stream } = turn
  const outcome = outcomeOf(taking.input, stream.group, reading)
  switch (outcome.kind) {
    case 'filtered':
      endFiltered(stream.told.span(reading.record))
      gathered.filtered += 1
      return true
    case 'passed':
      return takePassed(turn, reading, { outcome, gathered })
    case 'dead':
      return takeDead(turn, reading, { code: outcome.code, gathered })
    case 'fault':
      return takeFault(turn, reading, { outcome, gathered })
  }
}

type PassedNow = { readonly outcome: Passed; readonly gathered: Gathered }

function takePassed(turn: Turn, reading: FlowReading, { outcome, gathered }: PassedNow): boolean {
  const { taking, stream } = turn
  const { record } = reading
  if (stream.refused?.offset === record.offset)
    return takeDead(turn, reading, { code: 'too_large', gathered })
  // A gathered dead letter is a barrier.
  if (gathered.dead.length > 0) return false
  const span = stream.told.span(record)
  const passed = span === undefined ? outcome : tracedBy(taking.input, reading, { outcome, span })
  if (passed === undefined) return takeDead(turn, reading, { code: 'too_large', gathered })
  if (span !== undefined) gathered.spans.push(span)
  put(gathered, record.offset, passed.record)
  gathered.passed += 1
  gathered.undecryptable += passed.undecryptable
  return true
}

type SpanOf = { readonly outcome: Passed; readonly span: Span }

/**
 * Encodes a traced record again, because it names the stream's own span. Returns undefined if the result is too large.
 */
function tracedBy(
  input: InputSide,
  { record }: FlowReading,
  { outcome, span }: SpanOf,
): Passed | undefined {
  const headers = { ...outcome.out.headers, traceparent: span.traceparent }
  const traced = passing(input, record, { ...outcome.out, headers })
  return traced.kind === 'passed' ? traced : undefined
}

type DeadNow = { readonly code: string; readonly gathered: Gathered }

function takeDead(
  { taking, stream }: Turn,
  reading: FlowReading,
  { code, gathered }: DeadNow,
): boolean {
  const { offset } = reading.record
  if (gathered.passed > 0 || stream.pending.length > 0) {
    stream.hold = 'draining'
    return false
  }
  const most = isAlone(stream) ? 1 : DEAD_AT_ONCE
  if (gathered.dead.length >= most || gathered.bytes > APPEND_BYTES_MAX) return false
  const times = stream.refused?.offset === offset ? stream.refused.times : 0
  // With `too_large`, the first refusal, if any, was of the derived record.
  const refusals = code === 'too_large' ? Math.max(0, times - 1) : times
  const record = deadLetterOf(taking.input, reading, { code, refusals })
  put(gathered, offset, record)
  gathered.dead.push({ offset, code })
  return true
}

type FaultNow = {
  readonly outcome: Extract<Outcome, { kind: 'fault' }>
  readonly gathered: Gathered
}

function takeFault(turn: Turn, reading: FlowReading, { outcome, gathered }: FaultNow): boolean {
  const { taking, stream, piece } = turn
  const { reason, error } = outcome
  if (!mayChange(reason)) return takeDead(turn, reading, { code: reason, gathered })
  if (reading.record.offset >= stream.lookedTo) {
    stream.hold = 'looking'
    taking.look(stream, piece.next)
    return false
  }
  if (!waits(reason)) return takeDead(turn, reading, { code: reason, gathered })
  stream.hold = 'pausing'
  taking.pause(stream, error)
  return false
}

function put(gathered: Gathered, offset: bigint, record: EncodedRecord): void {
  if (gathered.records.length === 0) gathered.first = offset
  gathered.records.push(record)
  gathered.bytes += record.bodyBytes
}

function endFiltered(span: Span | undefined): void {
  span?.tell({ 'weir.outcome': 'filtered' })
  span?.end()
}

const gather = (taking: Taking): Gathered => ({
  records: [],
  first: 0n,
  bytes: 0,
  passed: 0,
  filtered: 0,
  undecryptable: 0,
  dead: [],
  spans: [],
  over: taking.begin(),
})

const isFull = (stream: Stream, { bytes, dead }: Gathered): boolean =>
  dead.length === 0 && (bytes >= APPEND_BYTES_MAX || (isAlone(stream) && bytes > 0))

const isAlone = ({ next, aloneTo }: Stream): boolean => next < aloneTo

function handOver(taking: Taking, stream: Stream, gathered: Gathered, upTo: bigint): void {
  const { records, bytes, over, ...counted } = gathered
  if (upTo > stream.next) stream.next = upTo
  if (records.length === 0) {
    over()
    return passOver(stream, gathered, upTo)
  }
  const pending: Pending = { ...counted, upTo, records: records.length, bytes, over }
  stream.pending.push(pending)
  stream.pendingBytes += bytes
  if (counted.dead.length > 0) stream.hold ??= 'draining'
  else if (stream.pendingBytes >= PENDING_BYTES_MAX) stream.hold ??= 'full'
  append(taking, stream, { pending, records })
}

/** Counts filtered records together with the last pending records, or immediately if no records are pending. */
function passOver(stream: Stream, { filtered }: Counts, upTo: bigint): void {
  const last = stream.pending.at(-1)
  if (last === undefined) {
    if (filtered > 0) stream.told.stored({ passed: 0, filtered, undecryptable: 0 }, [])
    if (stream.stored === undefined || upTo > stream.stored) stream.stored = upTo
    return
  }
  last.filtered += filtered
  if (upTo > last.upTo) last.upTo = upTo
}

type Appended = { readonly pending: Pending; readonly records: readonly EncodedRecord[] }

function append(taking: Taking, stream: Stream, { pending, records }: Appended): void {
  const { life, owned } = stream
  const lane = pending.dead.length > 0 ? owned?.dead : owned?.derived
  lane?.append(records).then(
    (offset) => {
      if (stream.life === life) stored(taking, stream, { pending, offset })
    },
    (error: unknown) => {
      if (stream.life === life) taking.refused(stream, error, pending)
    },
  )
}

const RELEASED_BY: Readonly<Partial<Record<Hold, (stream: Stream) => boolean>>> = {
  full: ({ pendingBytes }) => pendingBytes < PENDING_BYTES_MAX / 2,
  draining: ({ pending }) => pending.length === 0,
}

function stored(
  taking: Taking,
  stream: Stream,
  { pending, offset }: { readonly pending: Pending; readonly offset: bigint },
): void {
  const { passed, filtered, undecryptable, dead, spans, bytes } = pending
  stream.pending.shift()
  stream.pendingBytes -= bytes
  stream.stored = pending.upTo
  if (dead.length === 0) stream.logEnd = offset + BigInt(pending.records)
  pending.over()
  for (const span of spans) span.end()
  stream.told.stored({ passed, filtered, undecryptable }, dead)
  if (stream.hold !== undefined && RELEASED_BY[stream.hold]?.(stream) === true) {
    stream.hold = undefined
    taking.settled(stream)
  }
}
