// Who calls: the platform, by its one key, or an account, by one of its API keys. Keys arrive as bearer
// tokens.
import { createHash, timingSafeEqual } from 'node:crypto'
import { bearerOf, createAccounts } from '@weir/streams'
import type { AccountRecord, StateFollower } from '@weir/streams'
import { Refusal } from './errors.ts'
import type { Call } from './http.ts'

export type Callers = {
  /** @throws AppError `invalid_api_key` */
  account(call: Call): Promise<AccountRecord>
  /** @throws Refusal `invalid_platform_key` */
  requirePlatform(call: Call): void
}

export function createCallers(follower: StateFollower, platformKey: string): Callers {
  const platformDigest = sha256(platformKey)
  const accounts = createAccounts(follower)
  return {
    account: (call) => accounts.byApiKey(call.header('authorization')),
    requirePlatform(call) {
      const key = bearerOf(call.header('authorization'))
      if (!timingSafeEqual(sha256(key ?? ''), platformDigest)) throw wrongPlatformKey(key)
    },
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

const wrongPlatformKey = (sent: string | undefined): Refusal =>
  new Refusal(
    'invalid_platform_key',
    sent === undefined
      ? 'Send the platform key in the header Authorization, after the word Bearer'
      : 'What was sent is not the platform key',
  )
