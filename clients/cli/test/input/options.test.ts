import { describe, expect, test } from '@jest/globals'
import {
  collectLevel,
  digits,
  duration,
  httpAddress,
  positiveNumber,
  requireSpan,
  timeOption,
  timeText,
} from '../../src/input/options.ts'

describe('a duration', () => {
  test.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['10', 10_000],
    ['1.5s', 1500],
    ['2m', 120_000],
    ['24h', 86_400_000],
  ])('%s is %d ms', (text, ms) => {
    expect(duration(text)).toBe(ms)
  })

  test.each(['', '0s', 'ten', '1d', '-1s', '25h', '1e3s'])('%p is refused', (text) => {
    expect(() => duration(text)).toThrow('It must be a time')
  })
})

test('levels are gathered, and lie between 0 and 255', () => {
  expect(collectLevel('255', collectLevel('0'))).toEqual([0, 255])
  expect(() => collectLevel('256')).toThrow('A consent level is a number from 0 to 255.')
  expect(() => collectLevel('-1')).toThrow('It must be a whole number.')
})

test('a limit is a string of digits without leading zeros, and not 0', () => {
  expect(digits('0100')).toBe('100')
  expect(() => digits('0')).toThrow('It must be 1 or more.')
  expect(() => digits('1234567890123456')).toThrow('It must be a whole number.')
  expect(positiveNumber('999999999999999')).toBe(999_999_999_999_999)
})

test('an address is an http or https URL', () => {
  expect(httpAddress('https://auth.example.org/weir//')).toBe('https://auth.example.org/weir')
  for (const text of ['auth.example.org', 'ftp://example.org', 'localhost:8081', '']) {
    expect(() => httpAddress(text)).toThrow('It must be a URL')
  }
})

test('a time may be now', () => {
  const before = Date.now()
  for (const ms of [timeOption('now'), Date.parse(timeText('now'))]) {
    expect(ms).toBeGreaterThanOrEqual(before)
    expect(ms).toBeLessThanOrEqual(Date.now())
  }
  expect(() => timeText('yesterday')).toThrow('now or -6h')
})

test.each(['2026-11-31', '2026-02-29', '2026-02-30T00:00Z', '2026-13-01', '2026-11-21T25:00Z'])(
  '%s is no time, because the calendar or the clock has none such',
  (text) => {
    expect(() => timeOption(text)).toThrow('It must be a day such as')
  },
)

test('a span in which no event can be is refused', () => {
  requireSpan({})
  requireSpan({ until: 1 })
  requireSpan({ from: 1, until: 2 })
  expect(() => requireSpan({ from: 2, until: 2 })).toThrow('--from is not before --until')
})
