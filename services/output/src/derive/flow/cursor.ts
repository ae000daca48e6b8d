// A position in an input partition: the derived streams at this position, and the records that are read but not derived
// yet. Streams at the same position share a cursor.
import type { Following } from '@weir/kafka'
import type { FlowReading } from './reading.ts'
import type { Stream } from './stream.ts'
import type { TakenPiece } from './take.ts'

export type FlowCursor = {
  /** The next offset to derive. */
  at: bigint
  readonly streams: Set<Stream>
  readonly queue: TakenPiece[]
  queuedBytes: number
  /** The next offset to read into the queue. */
  queuedTo: bigint
  /** Undefined until records must be read. */
  following: Following | undefined
  isPaused: boolean
  isClosed: boolean
}

export const newCursor = (at: bigint): FlowCursor => ({
  at,
  streams: new Set(),
  queue: [],
  queuedBytes: 0,
  queuedTo: at,
  following: undefined,
  isPaused: false,
  isClosed: false,
})

export function push(cursor: FlowCursor, piece: TakenPiece): void {
  cursor.queue.push(piece)
  cursor.queuedBytes += bytesOf(piece)
  cursor.queuedTo = piece.next
}

/**
 * Takes at most `max` records from the queue, and only records before the border. Returns undefined if the queue is
 * empty.
 */
export function takePiece(
  cursor: FlowCursor,
  max: number,
  border: bigint | undefined,
): TakenPiece | undefined {
  const first = cursor.queue.shift()
  if (first === undefined) return undefined
  const length = lengthOf(first, max, border)
  const rest = first.readings.slice(length)
  const isCut = border !== undefined && border < first.next
  const next = rest[0] === undefined ? first.next : rest[0].record.offset
  const end = isCut && next > border ? border : next
  const piece = { readings: first.readings.slice(0, length), next: end }
  if (end < first.next) cursor.queue.unshift({ readings: rest, next: first.next })
  cursor.queuedBytes -= bytesOf(piece)
  return piece
}

function lengthOf({ readings }: TakenPiece, max: number, border: bigint | undefined): number {
  const most = Math.min(max, readings.length)
  if (border === undefined) return most
  const beyond = readings.findIndex(({ record }) => record.offset >= border)
  return beyond === -1 ? most : Math.min(most, beyond)
}

/** Discards the records that were read. */
export function empty(cursor: FlowCursor, at: bigint): void {
  cursor.queue.length = 0
  cursor.queuedBytes = 0
  cursor.at = at
  cursor.queuedTo = at
}

/** Undoes `takePiece`, except for the first `handled` records. */
export function putBack(cursor: FlowCursor, { readings, next }: TakenPiece, handled: number): void {
  const piece = { readings: readings.slice(handled), next }
  cursor.queue.unshift(piece)
  cursor.queuedBytes += bytesOf(piece)
}

const bytesOf = ({ readings }: TakenPiece): number =>
  readings.reduce((sum, { record }) => sum + bytesIn(record), 0)

/** The approximate memory of a record besides its key and value. */
const RECORD_BYTES = 300

const bytesIn = ({ key, value }: FlowReading['record']): number =>
  (key?.length ?? 0) + (value?.length ?? 0) + RECORD_BYTES
