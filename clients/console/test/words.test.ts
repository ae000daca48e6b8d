// Future times, in words.
import { expect, test } from '@jest/globals'
import { byTime } from '../web/ui/words.ts'

const nowMs = Date.parse('2026-11-22T12:00:00')
const at = (text: string): string => byTime(new Date(text).toISOString(), nowMs)

test('a time that is soon is told by its hour, a later one with its date', () => {
  expect(at('2026-11-22T14:05:00')).toBe('by 14:05')
  expect(at('2026-12-06T14:05:00')).toBe('by 6 Dec 2026, 14:05')
})

test('one that has gone by is told to be late, and none is made up', () => {
  expect(at('2026-11-22T11:00:00')).toBe('overdue, expected by 11:00')
  expect(byTime('unknown', nowMs)).toBe('not yet')
})
