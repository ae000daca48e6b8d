// How many requests of management an account may send to this replica, since all accounts share its time. What an account may
// still send grows evenly over the minute, so nobody sends the requests of a whole minute in one second; a script may send
// some of them together.
import { quotasOf } from '@weir/control-state'
import type { AccountRecord } from '@weir/control-state'
import { exceeded } from '../control/quotas.ts'

const minuteMs = 60_000

/** To be called for each request. @throws Refusal `quota_exceeded` */
export type ManagementRate = (account: AccountRecord) => void

/** A tenth of what a minute allows, and at least sixty requests. */
const atOnceOf = (perMinute: number): number => Math.min(perMinute, Math.max(60, perMinute / 10))

export function createManagementRate(nowMs = () => performance.now()): ManagementRate {
  /** What each account may still send, and when that was so. */
  const allowances = new Map<string, { readonly left: number; readonly atMs: number }>()
  return (account) => {
    const { requestsPerMinute: perMinute } = quotasOf(account)
    const atOnce = atOnceOf(perMinute)
    const atMs = nowMs()
    const before = allowances.get(account.billingId) ?? { left: atOnce, atMs }
    const back = ((atMs - before.atMs) * perMinute) / minuteMs
    const left = Math.min(atOnce, before.left + back)
    allowances.set(account.billingId, { left: left < 1 ? left : left - 1, atMs })
    if (left < 1)
      throw exceeded(
        'requestsPerMinute',
        `The account may send ${perMinute} requests of management in a minute, and ${Math.floor(atOnce)} of them in a second`,
      )
  }
}
