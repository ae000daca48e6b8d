// Derives one partition of an input stream for all outputs that this replica derives from this input
// (docs/architecture.md 3 and 4):
//
//   read     from the broker, once for all streams at the same position (read-input.ts, places.ts)
//   take     by each stream in turn (take.ts), in three steps:
//            derive: filter by consent and decrypt fields, once for all streams with the same levels (reading.ts,
//            ../derive.ts)
//            append to the stream's logs, in order; a record that can't be derived is appended as a dead letter
//            after the result is stored: count, log, trace (`stored` in take.ts), note the position (../progress.ts)
//
// Before a stream's first record, ownership.ts acquires the stream's logs, and so finds its position.
import { backoff, delay } from '@weir/kit'
import { takePiece } from './cursor.ts'
import type { FlowCursor } from './cursor.ts'
import type { Flow, FlowDeps, InputEnd } from './flow.ts'
import { acquire, acquireAgain, giveUp, isOverdue } from './ownership.ts'
import { borderOf, isOnHold, leave, merge, place, ready, setBack } from './places.ts'
import { isRead, readAhead } from './read-input.ts'
import type { Pending, Stream } from './stream.ts'
import { take } from './take.ts'

export type PartitionFlow = {
  /** Adds a stream. If its position (`stored`) isn't known, its logs are acquired first. */
  add(stream: Stream): void
  /** Stops the stream. Resolves once its pending records are stored, or after a timeout. */
  remove(stream: Stream): Promise<void>
  /** Call when streams may be able to continue. */
  wake(): void
  readonly end: InputEnd
}

/**
 * The maximum number of records per stream in a step. With more than two streams the number is smaller, so that a step
 * stays short.
 */
const RECORDS_AT_ONCE = 200
const RECORDS_OF_ALL = 400
const RECORDS_MIN = 16
const DRAIN_MS = 4_000
const DRAIN_EVERY_MS = 5
const PAUSES = { minMs: 50, firstMs: 200, maxMs: 5_000 }

export function createPartitionFlow(deps: FlowDeps): PartitionFlow {
  const flow: Flow = {
    ...deps,
    cursors: new Map(),
    placeOf: new Map(),
    all: new Set(),
    taking: {
      input: deps.input,
      begin: deps.begin,
      isOver: deps.turns.isOver,
      settled: (stream) => ready(flow, flow.placeOf.get(stream)),
      refused: (stream, error, first) => refused(flow, stream, { error, first }),
      look: (stream, upTo) => void look(flow, stream, upTo),
      pause: (stream, error) => void pause(flow, stream, error),
    },
    owning: { ...deps, onOwned: (stream) => place(flow, stream) },
    step: (cursor) => step(flow, cursor),
    end: { at: undefined, isSeen: () => isRead(flow) },
  }
  return {
    add(stream) {
      flow.all.add(stream)
      if (stream.stored === undefined) acquire(flow.owning, stream)
      else place(flow, stream)
    },
    remove: (stream) => remove(flow, stream),
    wake() {
      for (const cursor of flow.cursors.keys()) ready(flow, cursor)
    },
    end: flow.end,
  }
}

function step(flow: Flow, cursor: FlowCursor): boolean {
  if (cursor.isClosed || isOnHold(cursor) || merge(flow, cursor)) return false
  readAhead(flow, cursor)
  if (cursor.queue.length === 0 || ![...cursor.streams].every(flow.mayDerive)) return false
  if (acquireAll(flow, cursor)) return false
  takeNext(flow, cursor)
  return true
}

function takeNext(flow: Flow, cursor: FlowCursor): void {
  const before = cursor.queuedBytes
  const most = Math.max(RECORDS_MIN, Math.floor(RECORDS_OF_ALL / cursor.streams.size))
  const piece = takePiece(cursor, Math.min(RECORDS_AT_ONCE, most), borderOf(flow, cursor))
  if (piece === undefined) return
  cursor.at = piece.next
  let isFirst = true
  for (const stream of cursor.streams) {
    // If records take long, the remaining streams get turns of their own.
    const handled = isFirst || !flow.turns.isOver() ? take(flow.taking, stream, piece) : 0
    isFirst = false
    if (handled < piece.readings.length) setBack(flow, cursor, { stream, piece, handled })
  }
  flow.room.bytes += cursor.queuedBytes - before
}

/**
 * Acquires the cursor's streams that this replica has not acquired yet, or acquired too long ago. Returns whether the
 * cursor has no streams left.
 */
function acquireAll(flow: Flow, cursor: FlowCursor): boolean {
  for (const stream of cursor.streams) {
    if (stream.owned !== undefined && !isOverdue(stream)) continue
    if (stream.pending.length > 0) {
      stream.hold ??= 'draining'
      continue
    }
    leave(flow, stream)
    acquire(flow.owning, stream)
  }
  return cursor.streams.size === 0
}

type Refused = { readonly error: unknown; readonly first: Pending }

function refused(flow: Flow, stream: Stream, { error, first }: Refused): void {
  leave(flow, stream)
  if (flow.all.has(stream)) acquireAgain(flow.owning, stream, { error, first })
  else giveUp(stream)
}

async function look(flow: Flow, stream: Stream, upTo: bigint): Promise<void> {
  const { life } = stream
  try {
    await flow.refresh()
  } catch (error) {
    if (stream.life === life) await pause(flow, stream, error)
    return
  }
  if (stream.life !== life) return
  stream.lookedTo = upTo
  release(flow, stream)
}

async function pause(flow: Flow, stream: Stream, error: unknown): Promise<void> {
  const { life } = stream
  stream.told.failed(error)
  if (stream.waits?.at !== stream.next) stream.waits = { at: stream.next, pauses: backoff(PAUSES) }
  await delay(stream.waits.pauses.next().value)
  if (stream.life !== life) return
  stream.lookedTo = stream.next
  release(flow, stream)
}

function release(flow: Flow, stream: Stream): void {
  stream.hold = undefined
  ready(flow, flow.placeOf.get(stream))
}

async function remove(flow: Flow, stream: Stream): Promise<void> {
  leave(flow, stream)
  flow.all.delete(stream)
  const { life } = stream
  const end = performance.now() + DRAIN_MS
  while (stream.pending.length > 0 && stream.life === life && performance.now() < end)
    await delay(DRAIN_EVERY_MS)
  giveUp(stream)
}
