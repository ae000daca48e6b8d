// Reads an input partition for a cursor. Reads ahead only while the queues have room, and continues after records that
// can't be read any more.
import { KafkaError } from '@weir/kafka'
import type { Following } from '@weir/kafka'
import { empty, push } from './cursor.ts'
import type { FlowCursor } from './cursor.ts'
import type { Flow } from './flow.ts'
import { ready } from './places.ts'
import { newReading } from './reading.ts'

const QUEUE_BYTES_MAX = 524_288
const ROOM_BYTES_MAX = 67_108_864

/** Starts or resumes reading, if the queues have room. */
export function readAhead(flow: Flow, cursor: FlowCursor): void {
  const { following, queue, queuedBytes } = cursor
  if (following === undefined) {
    if (queue.length === 0) cursor.following = follow(flow, cursor)
    return
  }
  if (!cursor.isPaused || queuedBytes > QUEUE_BYTES_MAX / 2) return
  if (flow.room.bytes > ROOM_BYTES_MAX && queue.length > 0) return
  cursor.isPaused = false
  following.resume()
}

/** Returns whether a cursor is reading, so that new records arrive as soon as they are stored. */
export const isRead = ({ cursors }: Pick<Flow, 'cursors'>): boolean =>
  [...cursors.keys()].some(({ following, isPaused }) => following !== undefined && !isPaused)

function follow(flow: Flow, cursor: FlowCursor): Following {
  const { ownTopic: topic, partition } = flow.input
  const target = { topic, partition, from: cursor.queuedTo, isolation: 'read_committed' } as const
  return flow.fetcher.follow(target, {
    onRecords(records, next, end) {
      flow.end.at = end
      const before = cursor.queuedBytes
      push(cursor, { readings: records.map(newReading), next })
      flow.room.bytes += cursor.queuedBytes - before
      pauseIfFull(flow, cursor)
      ready(flow, cursor)
    },
    onLost: (lost) => passLost(flow, cursor, lost),
    // Control state will soon show that the input was deleted, and then the derived streams are removed.
    onGone: () => undefined,
  })
}

function pauseIfFull({ room }: Flow, cursor: FlowCursor): void {
  const isFull = cursor.queuedBytes > QUEUE_BYTES_MAX || room.bytes > ROOM_BYTES_MAX
  if (!isFull || cursor.isPaused) return
  cursor.isPaused = true
  cursor.following?.pause()
}

type Lost = { readonly why: 'removed' | 'cut'; readonly from: bigint }

function passLost(flow: Flow, cursor: FlowCursor, { why, from }: Lost): void {
  if (why === 'removed') passRemoved(cursor, from)
  else goBack(flow, cursor, from)
  cursor.following?.seek(cursor.queuedTo)
  ready(flow, cursor)
}

function passRemoved(cursor: FlowCursor, from: bigint): void {
  for (const stream of cursor.streams) {
    const to = stream.lostTo > cursor.queuedTo ? stream.lostTo : cursor.queuedTo
    if (from <= to) continue
    stream.told.lost(from - to)
    stream.lostTo = from
  }
  push(cursor, { readings: [], next: from })
}

/** Goes back because the input has lost its last records. New records at the same offsets must not be skipped. */
function goBack(flow: Flow, cursor: FlowCursor, from: bigint): void {
  flow.room.bytes -= cursor.queuedBytes
  empty(cursor, from < cursor.at ? from : cursor.at)
  for (const stream of cursor.streams) {
    stream.told.failed(SHRUNK)
    if (stream.next <= cursor.at) continue
    stream.next = cursor.at
    stream.stored = cursor.at
  }
}

const SHRUNK = new KafkaError(
  'kafka.input_shrunk',
  'the input partition ends before the last derived record',
)
