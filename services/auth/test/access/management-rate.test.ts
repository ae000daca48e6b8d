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
  nowMs = 59_999
  expect(() => mayAsk(loud)).toThrow('quota requestsPerMinute')
  nowMs = 60_000
  mayAsk(loud)
})
