import { expect, test } from '@jest/globals'
import { newCursor, push, putBack, takePiece } from '../../../src/derive/flow/cursor.ts'
import { newReading } from '../../../src/derive/flow/reading.ts'
import type { TakenPiece } from '../../../src/derive/flow/take.ts'

const readingAt = (offset: bigint) =>
  newReading({
    partition: 0,
    offset,
    timestampMs: 0,
    key: null,
    value: Buffer.alloc(10),
    headers: {},
  })

/** Returns a cursor with the offsets 10, 11, 14 and 15, and no others before 20. */
function cursorWithGaps() {
  const cursor = newCursor(10n)
  push(cursor, { readings: [10n, 11n, 14n, 15n].map(readingAt), next: 20n })
  return cursor
}

const shown = (piece: TakenPiece | undefined) =>
  piece && { offsets: piece.readings.map(({ record }) => record.offset), next: piece.next }

test('gives no more records than it is asked for, and the rest afterwards', () => {
  const cursor = cursorWithGaps()
  expect(shown(takePiece(cursor, 3, undefined))).toEqual({ offsets: [10n, 11n, 14n], next: 15n })
  expect(shown(takePiece(cursor, 3, undefined))).toEqual({ offsets: [15n], next: 20n })
  expect(takePiece(cursor, 3, undefined)).toBeUndefined()
  expect(cursor.queuedBytes).toBe(0)
})

test.each([
  [11n, [10n], 11n],
  [12n, [10n, 11n], 12n],
  [14n, [10n, 11n], 14n],
  [18n, [10n, 11n, 14n, 15n], 18n],
  [20n, [10n, 11n, 14n, 15n], 20n],
  [30n, [10n, 11n, 14n, 15n], 20n],
])('ends a piece exactly at a border, %i, though there is a gap', (border, offsets, next) => {
  const cursor = cursorWithGaps()
  expect(shown(takePiece(cursor, 100, border))).toEqual({ offsets, next })
  const rest = shown(takePiece(cursor, 100, undefined))
  expect([...offsets, ...(rest?.offsets ?? [])]).toEqual([10n, 11n, 14n, 15n])
  expect(rest?.next ?? next).toBe(20n)
})

test('what is put back comes first again', () => {
  const cursor = cursorWithGaps()
  const piece = takePiece(cursor, 3, undefined)
  if (piece !== undefined) putBack(cursor, piece, 1)
  expect(shown(takePiece(cursor, 100, undefined))).toEqual({ offsets: [11n, 14n], next: 15n })
})
