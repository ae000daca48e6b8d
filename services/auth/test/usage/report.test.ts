import { expect, test } from '@jest/globals'
import { dayKey, minuteOf, usageKey } from '@weir/control-state'
import type { Usage } from '@weir/control-state'
import { periodOf } from '../../src/usage/periods.ts'
import { reportOf, toCsv, toJson } from '../../src/usage/report.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const at = (hour: number, minute = 0): number => minuteOf(Date.UTC(2026, 10, 21, hour, minute))
const usage = (events: number, refused: Record<string, number> = {}): Usage => ({
  events,
  bytes: events * 10,
  refused,
})
const table = new Map<string, Usage | null>([
  [usageKey('s', 'r1', at(9, 59)), usage(1)],
  [usageKey('s', 'r1', at(10)), usage(2, { undecodable: 1 })],
  [usageKey('s', 'r2', at(10)), usage(3, { undecodable: 1, validation_failed: 4 })],
  [usageKey('s', 'r1', at(11, 59)), usage(4)],
  [usageKey('s', 'r1', at(11, 58)), null],
  [usageKey('s', 'r1', at(12)), usage(5)],
])
const period = periodOf({ by: '1h', from: '2026-11-21T10:00Z' }, nowMs)

test('adds up replicas and minutes by piece, those with nothing included, and what is asked for alone', () => {
  const threeHours = periodOf({ by: '1h', from: '2026-11-21T09:00Z' }, nowMs)
  expect(toJson('clicks', reportOf(table, threeHours))).toEqual({
    stream: 'clicks',
    by: '1h',
    from: '2026-11-21T09:00:00.000Z',
    until: '2026-11-21T12:00:00.000Z',
    total: { events: 10, bytes: 100, refused: { undecodable: 2, validation_failed: 4 } },
    usage: [
      { from: '2026-11-21T09:00:00.000Z', events: 1, bytes: 10, refused: {} },
      {
        from: '2026-11-21T10:00:00.000Z',
        events: 5,
        bytes: 50,
        refused: { undecodable: 2, validation_failed: 4 },
      },
      { from: '2026-11-21T11:00:00.000Z', events: 4, bytes: 40, refused: {} },
    ],
  })
})

test('days that were folded and days that were not are the same to the reader', () => {
  const days = periodOf({ by: '1d', from: '2026-10-01', until: '2026-11-22' }, nowMs)
  const both = new Map(table).set(dayKey('s', '2026-10-01'), usage(7))
  const { pieces, total } = reportOf(both, days)
  expect(pieces).toHaveLength(52)
  expect([pieces[0]?.events, pieces[51]?.events, total.events]).toEqual([7, 15, 22])
})

test('as CSV: a line each, refusals as one number', () => {
  expect(toCsv(reportOf(table, period))).toBe(
    [
      'from,events,bytes,refused',
      '2026-11-21T10:00:00.000Z,5,50,6',
      '2026-11-21T11:00:00.000Z,4,40,0',
      '',
    ].join('\n'),
  )
})
