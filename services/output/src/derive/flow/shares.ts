// Measures the recent processor time of each worker and of each account.
import { createOthers } from '@weir/kit'

/** After this time, earlier use counts half. */
const HALF_LIFE_MS = 1_000
/**
 * Only a single slow record makes a turn this long. The record's account then rests four times as long if another
 * account had a turn in the last second.
 */
const LONG_TURN_MS = 8
const REST_PARTS = 4
/** The number of accounts whose use is remembered: those that worked last. */
const ACCOUNTS_KEPT = 1_000

type Party = { readonly account: string }

export type Shares<Worker extends Party> = {
  /** Adds the time since `sinceMs` to the worker's use. */
  charge(worker: Worker, sinceMs: number): void
  /** Returns the worker with the least use in the account with the least use, if any. Skips accounts that rest. */
  quietest(workers: Iterable<Worker>, nowMs: number): Worker | undefined
  /** Returns the time until the next account has rested, if any. */
  restMs(nowMs: number): number | undefined
}

type Share = { readonly usedMs: number; readonly atMs: number }

export function createShares<Worker extends Party>(): Shares<Worker> {
  const ofWorkers = new WeakMap<Worker, Share>()
  const ofAccounts = new Map<string, Share>()
  const restsTo = new Map<string, number>()
  const others = createOthers()
  const isQuieter = (one: Worker, other: Worker, nowMs: number): boolean => {
    const ofAccount = usedOf(ofAccounts.get(one.account), nowMs)
    const ofOther = usedOf(ofAccounts.get(other.account), nowMs)
    if (ofAccount !== ofOther) return ofAccount < ofOther
    return usedOf(ofWorkers.get(one), nowMs) < usedOf(ofWorkers.get(other), nowMs)
  }
  return {
    charge(worker, sinceMs) {
      const { account } = worker
      const nowMs = performance.now()
      const ms = nowMs - sinceMs
      ofWorkers.set(worker, charged(ofWorkers.get(worker), ms, nowMs))
      const share = charged(ofAccounts.get(account), ms, nowMs)
      // Moves the account to the end, so that the map is in the order of last use.
      ofAccounts.delete(account)
      ofAccounts.set(account, share)
      if (ms > LONG_TURN_MS && others.areBeside(account))
        restsTo.set(account, nowMs + REST_PARTS * ms)
      others.served(account)
      const [oldest] = ofAccounts.keys()
      if (ofAccounts.size > ACCOUNTS_KEPT && oldest !== undefined) ofAccounts.delete(oldest)
    },
    quietest(workers, nowMs) {
      let found: Worker | undefined
      for (const worker of workers) {
        if ((restsTo.get(worker.account) ?? 0) > nowMs) continue
        if (found === undefined || isQuieter(worker, found, nowMs)) found = worker
      }
      return found
    },
    restMs(nowMs) {
      for (const [account, untilMs] of restsTo) if (untilMs <= nowMs) restsTo.delete(account)
      return restsTo.size === 0 ? undefined : Math.min(...restsTo.values()) - nowMs
    },
  }
}

const charged = (share: Share | undefined, ms: number, nowMs: number): Share => ({
  usedMs: usedOf(share, nowMs) + ms,
  atMs: nowMs,
})

const usedOf = (share: Share | undefined, nowMs: number): number =>
  share === undefined ? 0 : share.usedMs * 2 ** ((share.atMs - nowMs) / HALF_LIFE_MS)
