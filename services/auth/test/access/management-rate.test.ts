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
  const mayAsk = createManagementRate(() => nowMs)
  const loud = account('loud', 2)
  mayAsk(loud)
  mayAsk(loud)
  expect(() => mayAsk(loud)).toThrow('2 requests of management in a minute')
  mayAsk(account('quiet', 1))
  nowMs = 29_999
  expect(() => mayAsk(loud)).toThrow('quota requestsPerMinute')
  nowMs = 30_001
  mayAsk(loud)
  expect(() => mayAsk(loud)).toThrow('quota requestsPerMinute')
})

test('of a large quota a tenth may come at once', () => {
  let nowMs = 0
  const mayAsk = createManagementRate(() => nowMs)
  const loud = account('loud', 6_000)
  const atOnce = (): number => {
    let count = 0
    try {
      for (; ; count += 1) mayAsk(loud)
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
