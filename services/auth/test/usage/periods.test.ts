import { describe, expect, test } from '@jest/globals'
import { foldedBefore, periodOf } from '../../src/usage/periods.ts'
import { Refusal } from '@weir/http-api'

const nowMs = Date.UTC(2026, 10, 21, 10, 7, 30)
const asked = (question: Parameters<typeof periodOf>[0]) => {
  const { fromMs, untilMs, by } = periodOf(question, nowMs)
  return [by, new Date(fromMs).toISOString(), new Date(untilMs).toISOString()]
}
const problemsOf = (question: Parameters<typeof periodOf>[0]): readonly string[] => {
  try {
    periodOf(question, nowMs)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid') return error.problems ?? []
  }
  return []
}

describe('what is not said', () => {
  test.each([
    ['1m', '2026-11-21T09:08:00.000Z', '2026-11-21T10:08:00.000Z'],
    ['15m', '2026-11-20T10:15:00.000Z', '2026-11-21T10:15:00.000Z'],
    ['1h', '2026-11-20T11:00:00.000Z', '2026-11-21T11:00:00.000Z'],
    ['1d', '2026-10-23T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
  ])('%s: up to now, the piece that is running included', (by, from, until) => {
    expect(asked({ by })).toEqual([by, from, until])
  })

  test('hours, when no length is named', () => {
    expect(asked({})).toEqual(asked({ by: '1h' }))
  })
})

test('pieces are whole, in UTC, whatever zone the question is in', () => {
  expect(asked({ by: '15m', from: '2026-11-20T01:05:59+02:00', until: '2026-11-20' })).toEqual([
    '15m',
    '2026-11-19T23:00:00.000Z',
    '2026-11-20T00:00:00.000Z',
  ])
})

test('the future has no usage yet', () => {
  expect(asked({ by: '1h', until: '2030-01-01' })[2]).toBe('2026-11-21T11:00:00.000Z')
})

test('days reach back as far as anybody likes, minutes 35 days', () => {
  expect(asked({ by: '1d', from: '2020-01-01' })[1]).toBe('2020-01-01T00:00:00.000Z')
  expect(asked({ by: '1m', from: '2026-10-17T10:08:00Z' })[1]).toBe('2026-10-17T10:08:00.000Z')
  expect(problemsOf({ by: '1m', from: '2026-10-17T10:07:00Z' })).toEqual([
    'from must be within the last 35 days, or by must be 1d',
  ])
})

test.each([
  [{ by: '5m' }, ['by must be one of 1m, 15m, 1h, 1d']],
  [
    { from: '2026-11-21', until: '2026-11-21' },
    ['from must be before until, and not in the future'],
  ],
  [{ from: '2027-01-01' }, ['from must be before until, and not in the future']],
  [
    { from: 'yesterday', until: '2026-02-31', by: '' },
    [
      'by must be one of 1m, 15m, 1h, 1d',
      'until must be a date or a time such as 2026-11-21 or 2026-11-21T10:00:00Z',
      'from must be a date or a time such as 2026-11-21 or 2026-11-21T10:00:00Z',
    ],
  ],
  [{ by: '1d', from: '1800-01-01' }, ['from and until must be at most 51000 times 1d apart']],
])('%j is refused, with all that is wrong', (question, problems) => {
  expect(problemsOf(question)).toEqual(problems)
})

test('a day is folded when all of it is older than 35 days', () => {
  expect(foldedBefore(nowMs)).toBe(Date.UTC(2026, 9, 17))
  expect(foldedBefore(Date.UTC(2026, 10, 21))).toBe(Date.UTC(2026, 9, 17))
  expect(foldedBefore(Date.UTC(2026, 10, 21) - 1)).toBe(Date.UTC(2026, 9, 16))
})
