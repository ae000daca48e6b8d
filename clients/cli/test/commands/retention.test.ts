import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { lossesOf } from '../../src/commands/retention.ts'

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2026-11-26T09:20:30Z') })
})
afterEach(() => {
  jest.useRealTimers()
})

const older = (age: string, before: string): string =>
  `Kafka then deletes all events of clicks that are older than ${age} (stored before ${before}), for good.`

test.each([
  [168, 48, `${older('2 days', '2026-11-24T09:20Z')} Now it keeps them for 7 days.`],
  [2, 1, `${older('1 hour', '2026-11-26T08:20Z')} Now it keeps them for 2 hours.`],
  [
    'broker',
    24,
    `${older('1 day', '2026-11-25T09:20Z')} Now it keeps them as long as its own setting says.`,
  ],
  [
    'broker',
    999_999_999_999_999,
    expect.stringContaining('999999999999999 hours (stored before 1970-01-01T00:00Z)'),
  ],
  [
    168,
    'broker',
    'Kafka then keeps the events of clicks as long as its own setting says, instead of 7 days. ' +
      'If this is shorter, it deletes older events for good.',
  ],
] as const)('instead of %s, %s hours lose events', (before, retentionHours, loss) => {
  expect(lossesOf('clicks', { retentionHours: before }, { retentionHours })).toEqual([loss])
})

test('the events and the keys are said on a line each', () => {
  const present = { retentionHours: 168, keyRetentionDays: 30 }
  expect(lossesOf('clicks', present, { retentionHours: 24, keyRetentionDays: 1 })).toHaveLength(2)
})

test.each([
  [{ retentionHours: 24 }, { retentionHours: 24 }],
  [{ retentionHours: 24 }, { retentionHours: 25 }],
  [{ retentionHours: 'broker' }, { retentionHours: 'broker' as const }],
  [{ keyRetentionDays: 3 }, { keyRetentionDays: 4 }],
  [{ retentionHours: 24 }, {}],
])('%j to %j loses nothing', (present, wanted) => {
  expect(lossesOf('clicks', present, wanted)).toEqual([])
})
