// Limits how many management requests an account may send to this replica, because all accounts share its processor
// time. The allowance grows evenly, so that no account uses a large quota in one second. A large response counts as
// several requests, because it takes as much time.
import { quotasOf } from '@weir/control-state'
import type { AccountRecord } from '@weir/control-state'
import { exceeded } from '../control/quotas.ts'

const minuteMs = 60_000

/** The bytes of a response that count as one more request. */
const answerBytes = 65_536

export type ManagementRate = {
  /**
   * Call for each request.
   * @throws Refusal `quota_exceeded`
   */
  ask(account: AccountRecord): void
  /** Counts a large response as further requests. */
  answered(account: AccountRecord, bytes: number): void
}

/** Returns how many requests may be sent together: a tenth of `perMinute`, at least 60, but at most `perMinute`. */
const atOnceOf = (perMinute: number): number => Math.min(perMinute, Math.max(60, perMinute / 10))

export function createManagementRate(nowMs = () => performance.now()): ManagementRate {
  /** The number of requests that each account may still send, as of `atMs`. */
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
