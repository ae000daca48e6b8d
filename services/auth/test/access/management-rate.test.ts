import { expect, test } from '@jest/globals'
import { createManagementRate } from '../../src/access/management-rate.ts'

const account = (billingId: string, requestsPerMinute: number) => ({
  type: 'account' as const,
  billingId,
  apiKeys: [],
  createdAtMs: 0,
  quotas: { requestsPerMinute },
})

test('an account has so many requests in a minute, and no other has less for it', () => {
  let nowMs = 0
  const { ask } = createManagementRate(() => nowMs)
  const loud = account('loud', 2)
  ask(loud)
  ask(loud)
  expect(() => ask(loud)).toThrow('2 requests of management in a minute')
  ask(account('quiet', 1))
  nowMs = 29_999
  expect(() => ask(loud)).toThrow('quota requestsPerMinute')
  nowMs = 30_001
  ask(loud)
  expect(() => ask(loud)).toThrow('quota requestsPerMinute')
})

test('of a large quota a tenth may come at once', () => {
  let nowMs = 0
  const { ask } = createManagementRate(() => nowMs)
  const loud = account('loud', 6_000)
  const atOnce = (): number => {
    let count = 0
    try {
      for (; ; count += 1) ask(loud)
    } catch {
      return count
    }
  }
  expect(atOnce()).toBe(600)
  nowMs = 1_000
  expect(atOnce()).toBe(100)
  nowMs = 3_600_000
  expect(atOnce()).toBe(600)
})

test('a large answer counts as several requests, and those after it wait', () => {
  let nowMs = 0
  const { ask, answered } = createManagementRate(() => nowMs)
  const loud = account('loud', 60)
  answered(loud, 65_535)
  answered(loud, 10 * 65_536)
  for (let count = 0; count < 50; count += 1) ask(loud)
  expect(() => ask(loud)).toThrow('each 64 kB of a response count as a request more')
  answered(loud, 3 * 65_536)
  nowMs = 3_000
  expect(() => ask(loud)).toThrow('quota requestsPerMinute')
  nowMs = 4_000
  ask(loud)
})
