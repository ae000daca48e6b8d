// How many requests of management an account may send to this replica: what they take is everybody's. They come back evenly
// over the minute, so that nobody sends a whole minute's at once, but for what a script sends when it starts.
import { quotasOf } from '@weir/control-state'
import type { AccountRecord } from '@weir/control-state'
import { exceeded } from '../control/quotas.ts'

const minuteMs = 60_000

/** To be called for each request. @throws Refusal `quota_exceeded` */
export type ManagementRate = (account: AccountRecord) => void

/** A tenth of a minute's, and at least sixty. */
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
