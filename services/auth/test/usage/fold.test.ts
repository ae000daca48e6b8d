import { expect, test } from '@jest/globals'
import { dayKey, minuteOf, usageKey } from '@weir/control-state'
import { foldsOf } from '../../src/usage/fold.ts'

const usage = (events: number) => ({ events, bytes: events, refused: { undecodable: events } })
const minute = minuteOf(Date.UTC(2026, 9, 1, 12))
const nextDay = minuteOf(Date.UTC(2026, 9, 2, 12))
const keys = (count: number, streamId = 's'): string[] =>
  Array.from({ length: count }, (_, index) => usageKey(streamId, 'r', minute + index))

test("a stream's day is the sum of its minutes over all replicas, and of what was in it before", () => {
  const [one = '', two = ''] = keys(2)
  const other = usageKey('s', 'r2', minute)
  const table = new Map([
    [one, usage(1)],
    [two, usage(2)],
    [other, usage(4)],
    [dayKey('s', '2026-10-01'), usage(8)],
    [usageKey('s', 'r', nextDay), usage(16)],
  ])
  expect(foldsOf(table, () => true)).toEqual([
    { streamId: 's', day: '2026-10-01', usage: usage(15), minutes: [one, two, other] },
    { streamId: 's', day: '2026-10-02', usage: usage(16), minutes: [usageKey('s', 'r', nextDay)] },
  ])
})

test('minutes that are folded already add nothing, and a day without any is left alone', () => {
  const [one = '', two = ''] = keys(2)
  const table = new Map([
    [one, null],
    [two, null],
    [dayKey('s', '2026-10-01'), usage(8)],
  ])
  expect(foldsOf(table, () => true)).toEqual([])
})

test('of a stream that is gone nothing is kept', () => {
  const [one = ''] = keys(1, 'gone')
  const table = new Map([[one, usage(1)]])
  expect(foldsOf(table, (streamId) => streamId !== 'gone')).toEqual([
    { streamId: 'gone', day: '2026-10-01', usage: undefined, minutes: [one] },
  ])
})
