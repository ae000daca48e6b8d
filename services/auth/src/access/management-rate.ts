// How many requests of management an account may send in a minute to this replica: what they take is everybody's.
import { quotasOf } from '@weir/control-state'
import type { AccountRecord } from '@weir/control-state'
import { exceeded } from '../control/quotas.ts'

const minuteMs = 60_000

/** To be called for each request. @throws Refusal `quota_exceeded` */
export type ManagementRate = (account: AccountRecord) => void

export function createManagementRate(nowMs = () => performance.now()): ManagementRate {
  let minute = 0
  /** Of those that have sent one in this minute. */
  const counts = new Map<string, number>()
  return (account) => {
    const now = Math.floor(nowMs() / minuteMs)
    if (now !== minute) counts.clear()
    minute = now
    const count = (counts.get(account.billingId) ?? 0) + 1
    counts.set(account.billingId, count)
    const { requestsPerMinute } = quotasOf(account)
    if (count > requestsPerMinute)
      throw exceeded(
        'requestsPerMinute',
        `The account may send ${requestsPerMinute} requests of management in a minute`,
      )
  }
}
