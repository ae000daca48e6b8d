// Pauses before a retry.
import { expect, test } from '@jest/globals'
import { pauseMs, retryAfterMsOf } from '../src/retries.ts'

const least = () => 0
const most = () => 1

test('pauses double up to ten seconds, and each is between half of its bound and all of it', () => {
  const failures = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000]
  expect(failures.map((each) => pauseMs(each, undefined, most))).toEqual([
    100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000,
  ])
  expect(failures.map((each) => pauseMs(each, undefined, least))).toEqual([
    50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000,
  ])
})

test('what the service asks for is waited for in full, and at most a quarter more', () => {
  expect(pauseMs(1, 8_000, least)).toBe(8_000)
  expect(pauseMs(1, 8_000, most)).toBe(10_000)
  expect(pauseMs(9, 1_000, most)).toBe(10_000)
})

const now = Date.UTC(2026, 10, 22, 10, 0, 0)

test.each([
  ['0', 0],
  ['1', 1_000],
  [' 120 ', 120_000],
  ['999999999999', 24 * 60 * 60 * 1000],
  ['Sun, 22 Nov 2026 10:00:05 GMT', 5_000],
  ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
  ['Sun, 22 Nov 2099 09:00:00 GMT', 24 * 60 * 60 * 1000],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['2026', 2_026_000],
  ['2026-11-22', undefined],
  ['', undefined],
  [undefined, undefined],
  [['1', '2'], undefined],
])('Retry-After %j is %p ms', (header, ms) => {
  expect(retryAfterMsOf(header, now)).toBe(ms)
})
