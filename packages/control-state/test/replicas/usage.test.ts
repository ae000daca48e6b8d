import { expect, test } from '@jest/globals'
import {
  addUsage,
  dayKey,
  dayOf,
  minuteOf,
  monthOf,
  msOfMinute,
  noUsage,
  parseCountKey,
  parseUsageKey,
  usageKey,
} from '../../src/replicas/usage.ts'

test('a key says what it was made of', () => {
  expect(parseUsageKey(usageKey('s', 'r', 29_900_000))).toEqual({
    streamId: 's',
    replica: 'r',
    minute: 29_900_000,
  })
  expect(parseUsageKey(dayKey('s', '2026-11-21'))).toEqual({ streamId: 's', day: '2026-11-21' })
  expect(parseCountKey('s/r')).toEqual({ streamId: 's', replica: 'r' })
})

test.each(['', 's', 's/r', 's/r/', 's/r/x', 's/r/1/2', '/r/1', 's/day/2026', 's/day/29900000'])(
  'what is not a key of usage is left alone: %j',
  (key) => {
    expect(parseUsageKey(key)).toBeUndefined()
  },
)

test.each(['', 's', 's/', '/r', 's/r/1'])('nor what is not a key of a count: %j', (key) => {
  expect(parseCountKey(key)).toBeUndefined()
})

test('minutes, days and months are those of UTC', () => {
  const ms = Date.UTC(2026, 11, 31, 23, 59, 59, 999)
  expect(msOfMinute(minuteOf(ms))).toBe(Date.UTC(2026, 11, 31, 23, 59))
  expect([dayOf(ms), monthOf(ms)]).toEqual(['2026-12-31', '2026-12'])
  expect([dayOf(ms + 1), monthOf(ms + 1)]).toEqual(['2027-01-01', '2027-01'])
})

test('usage adds up, refusals by their code', () => {
  const sum = noUsage()
  addUsage(sum, { events: 1, bytes: 10, refused: { a: 1 } })
  addUsage(sum, { events: 2, bytes: 20, refused: { a: 1, b: 5 } })
  expect(sum).toEqual({ events: 3, bytes: 30, refused: { a: 2, b: 5 } })
})
