// How many requests of management an account may send to this replica, since all accounts share its time. What an account may
// still send grows evenly over the minute, so nobody sends the requests of a whole minute in one second; a script may send
// some of them together. A large answer counts as several, since it takes as much time.
import { quotasOf } from '@weir/control-state'
import type { AccountRecord } from '@weir/control-state'
import { exceeded } from '../control/quotas.ts'

const minuteMs = 60_000

/** Of an answer so many bytes count as a request more. */
const answerBytes = 65_536

export type ManagementRate = {
  /** To be called for each request. @throws Refusal `quota_exceeded` */
  ask(account: AccountRecord): void
  /** What it was answered: the next ones wait for it. */
  answered(account: AccountRecord, bytes: number): void
}

/** A tenth of what a minute allows, and at least sixty requests. */
const atOnceOf = (perMinute: number): number => Math.min(perMinute, Math.max(60, perMinute / 10))

export function createManagementRate(nowMs = () => performance.now()): ManagementRate {
  /** What each account may still send, and when that was so. */
  const allowances = new Map<string, { readonly left: number; readonly atMs: number }>()
  const leftOf = (account: AccountRecord): { left: number; atMs: number } => {
    const { requestsPerMinute: perMinute } = quotasOf(account)
    const atOnce = atOnceOf(perMinute)
    const atMs = nowMs()
    const before = allowances.get(account.billingId) ?? { left: atOnce, atMs }
    const back = ((atMs - before.atMs) * perMinute) / minuteMs
    return { left: Math.min(atOnce, before.left + back), atMs }
  }
  return {
    ask(account) {
      const { requestsPerMinute: perMinute } = quotasOf(account)
      const { left, atMs } = leftOf(account)
      allowances.set(account.billingId, { left: left < 1 ? left : left - 1, atMs })
      if (left < 1)
        throw exceeded(
          'requestsPerMinute',
          `The account may send ${perMinute} requests of management in a minute, and ${Math.floor(atOnceOf(perMinute))} of them in a second; ` +
            `each ${answerBytes / 1_024} kB of a response count as a request more`,
        )
    },
    answered(account, bytes) {
      const { left, atMs } = leftOf(account)
      allowances.set(account.billingId, { left: left - Math.floor(bytes / answerBytes), atMs })
    },
  }
}
