// Finds the caller by the bearer token. The platform has one key, and each account has API keys.
import { createHash, timingSafeEqual } from 'node:crypto'
import { bearerOf, createAccounts } from '@weir/control-state'
import type { Actor, KeyHolder, Role, StateFollower } from '@weir/control-state'
import { refusal } from '../errors.ts'
import { createManagementRate } from './management-rate.ts'
import { callerOf } from '@weir/http-api'
import type { Call, Caller, Refusal } from '@weir/http-api'

export type Platform = { readonly actor: Actor }

export type Callers = {
  /**
   * @throws ControlStateError `control-state.invalid_api_key`, `control-state.role_missing`; Refusal `quota_exceeded`
   */
  account(call: Call, needs: Role): Promise<Caller>
  /** @throws as `account` does */
  viewerOrPlatform(call: Call): Promise<Caller | Platform>
  /** @throws Refusal `invalid_platform_key` */
  platform(call: Call): Platform
  /** Counts the size of a response against the caller's rate. */
  answered(caller: Caller, bytes: number): void
}

export function createCallers(
  follower: StateFollower,
  platformKey: string,
  { now, onUse }: { now: () => number; onUse: (holder: KeyHolder) => void },
): Callers {
  const platformDigest = sha256(platformKey)
  const accounts = createAccounts(follower, now, onUse)
  const rate = createManagementRate()
  const isPlatform = (call: Call): boolean => {
    const key = bearerOf(call.header('authorization'))
    return timingSafeEqual(sha256(key ?? ''), platformDigest)
  }
  const callers: Callers = {
    async account(call, needs) {
      const caller = await callerOf(accounts, call, needs)
      rate.ask(caller.account)
      return caller
    },
    platform(call) {
      if (!isPlatform(call)) throw wrongPlatformKey(bearerOf(call.header('authorization')))
      const actor: Actor = { kind: 'platform', requestId: call.requestId }
      call.isFrom('the platform', actor)
      return { actor }
    },
    viewerOrPlatform: async (call) =>
      isPlatform(call) ? callers.platform(call) : callers.account(call, 'viewer'),
    answered: ({ account }, bytes) => rate.answered(account, bytes),
  }
  return callers
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

const wrongPlatformKey = (sent: string | undefined): Refusal =>
  refusal(
    'invalid_platform_key',
    sent === undefined
      ? 'Send the platform key in the header Authorization, after the word Bearer'
      : 'The key in the request is not the platform key',
  )
