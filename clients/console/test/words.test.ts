// Future times, in words.
import { expect, test } from '@jest/globals'
import { byTime, completeBy, inOneMonth } from '../web/ui/words.ts'

const nowMs = Date.parse('2026-11-22T12:00:00Z')
const at = (text: string): string => byTime(new Date(text).toISOString(), nowMs)

test('a time to come is told with its day and its time zone', () => {
  expect(at('2026-11-22T14:05:00Z')).toMatch(/^at the latest 22 Nov 2026, 14:05 UTC$/)
})

test('one that has gone by is told to be late, and none is made up', () => {
  expect(at('2026-11-22T11:00:00Z')).toMatch(/^overdue, expected by 22 Nov 2026, 11:00 UTC$/)
  expect(byTime('unknown', nowMs)).toBe('not yet')
})

test('a request is complete usually long before its latest time, unless that has gone by', () => {
  expect(completeBy('2026-11-22T14:05:00Z', nowMs)).toMatch(
    /^usually after 11 to 15 minutes, at the latest 22 Nov 2026, 14:05 UTC$/,
  )
  expect(completeBy('2026-11-22T11:00:00Z', nowMs)).toMatch(/^overdue, expected by /)
  expect(completeBy('unknown', nowMs)).toBe('not yet')
})

test('a month from now is the same day of the next month, or the last of a shorter one', () => {
  expect(inOneMonth(Date.parse('2026-11-28T23:59:00Z'))).toBe('2026-12-28')
  expect(inOneMonth(Date.parse('2026-12-31T00:00:00Z'))).toBe('2027-01-31')
  expect(inOneMonth(Date.parse('2027-01-31T12:00:00Z'))).toBe('2027-02-28')
})
