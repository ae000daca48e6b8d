// Assigns streams to cursors of an input partition. A stream that can't keep up gets a cursor of its own. Cursors that
// reach the same position are merged again. Offsets have gaps, so a step of a cursor that is behind ends at the latest
// at the position of the next cursor.
import { newCursor, putBack } from './cursor.ts'
import type { FlowCursor } from './cursor.ts'
import type { Flow } from './flow.ts'
import type { Stream } from './stream.ts'
import type { TakenPiece } from './take.ts'

/** Adds a stream to the cursor at its position, or to a new cursor. */
export function place(flow: Flow, stream: Stream): void {
  const { next } = stream
  const found = [...flow.cursors.keys()].find((one) => one.at === next && !isOnHold(one))
  join(flow, stream, found ?? addCursor(flow, next))
}

export function leave(flow: Flow, stream: Stream): void {
  const cursor = flow.placeOf.get(stream)
  if (cursor === undefined) return
  cursor.streams.delete(stream)
  flow.placeOf.delete(stream)
  if (cursor.streams.size === 0) close(flow, cursor)
}

/** Schedules a turn, because there may be work. */
export function ready(flow: Flow, cursor: FlowCursor | undefined): void {
  const worker = cursor && flow.cursors.get(cursor)
  if (worker !== undefined) flow.turns.ready(worker)
}

/** Returns whether the cursor's only stream is on hold. */
export function isOnHold({ streams }: FlowCursor): boolean {
  const [only] = streams
  return streams.size === 1 && only?.hold !== undefined
}

export type Untaken = {
  readonly stream: Stream
  readonly piece: TakenPiece
  readonly handled: number
}

/** Lets the stream continue alone with the records of the piece that it has not handled. */
export function setBack(flow: Flow, cursor: FlowCursor, { stream, piece, handled }: Untaken): void {
  if (cursor.streams.size === 1) {
    cursor.at = stream.next
    return putBack(cursor, piece, handled)
  }
  leave(flow, stream)
  const own = addCursor(flow, stream.next)
  putBack(own, piece, handled)
  own.queuedTo = piece.next
  flow.room.bytes += own.queuedBytes
  join(flow, stream, own)
}

/** Returns the nearest later position whose streams this cursor can join, if any. */
export function borderOf({ cursors }: Flow, { at }: FlowCursor): bigint | undefined {
  if (cursors.size === 1) return undefined
  let border: bigint | undefined
  for (const other of cursors.keys())
    if (other.at > at && !isOnHold(other) && (border === undefined || other.at < border))
      border = other.at
  return border
}

/** Merges cursors at the same position. Returns whether this cursor has no streams left. */
export function merge(flow: Flow, cursor: FlowCursor): boolean {
  if (flow.cursors.size === 1) return false
  for (const other of flow.cursors.keys()) {
    if (other === cursor || other.at !== cursor.at || isOnHold(other)) continue
    const [to, from] = isBehind(cursor, other) ? [other, cursor] : [cursor, other]
    for (const stream of from.streams) {
      leave(flow, stream)
      join(flow, stream, to)
    }
    ready(flow, to)
    if (to === other) return true
  }
  return false
}

/** Returns whether `a` has read less than `b`. */
const isBehind = (a: FlowCursor, b: FlowCursor): boolean =>
  a.queuedTo === b.queuedTo ? a.following === undefined : a.queuedTo < b.queuedTo

function join(flow: Flow, stream: Stream, cursor: FlowCursor): void {
  if (stream.next < cursor.at) throw new TypeError('a stream would lose records there')
  cursor.streams.add(stream)
  flow.placeOf.set(stream, cursor)
}

function addCursor(flow: Flow, at: bigint): FlowCursor {
  const cursor = newCursor(at)
  flow.cursors.set(cursor, { account: flow.input.account, step: () => flow.step(cursor) })
  ready(flow, cursor)
  return cursor
}

function close(flow: Flow, cursor: FlowCursor): void {
  const worker = flow.cursors.get(cursor)
  if (worker !== undefined) flow.turns.forget(worker)
  flow.cursors.delete(cursor)
  cursor.isClosed = true
  cursor.following?.close()
  flow.room.bytes -= cursor.queuedBytes
}
