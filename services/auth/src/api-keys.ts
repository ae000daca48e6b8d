// Who calls: the platform, by its one key, or an account, by one of its API keys. Keys arrive as bearer
// tokens. Accounts are found by the hash of their key, so no comparison can tell how much of it fits.
import { createHash, timingSafeEqual } from 'node:crypto'
import { hashSecret } from '@weir/streams'
import type { AccountRecord, StateFollower } from '@weir/streams'
import { Refusal } from './errors.ts'
import type { Call } from './http.ts'

export type Callers = {
  /** @throws Refusal `invalid_api_key` */
  account(call: Call): Promise<AccountRecord>
  /** @throws Refusal `invalid_platform_key` */
  requirePlatform(call: Call): void
}

export function createCallers(follower: StateFollower, platformKey: string): Callers {
  const platformDigest = sha256(platformKey)
  return {
    async account(call) {
      const key = bearerOf(call)
      if (key === undefined) throw noApiKey()
      const hash = hashSecret(key)
      const known = follower.tables.accountByApiKey(hash)
      if (known !== undefined) return known
      // Another replica may have made it a moment ago.
      await follower.lookAgain()
      const account = follower.tables.accountByApiKey(hash)
      if (account === undefined) throw unknownApiKey()
      return account
    },
    requirePlatform(call) {
      const key = bearerOf(call)
      if (!timingSafeEqual(sha256(key ?? ''), platformDigest)) throw wrongPlatformKey(key)
    },
  }
}

function bearerOf(call: Call): string | undefined {
  return /^bearer +(\S+) *$/i.exec(call.header('authorization') ?? '')?.[1]
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

const noApiKey = (): Refusal =>
  new Refusal(
    'invalid_api_key',
    "Send the account's API key in the header Authorization, after the word Bearer",
  )

const unknownApiKey = (): Refusal =>
  new Refusal('invalid_api_key', 'No account has the API key that was sent')

const wrongPlatformKey = (sent: string | undefined): Refusal =>
  new Refusal(
    'invalid_platform_key',
    sent === undefined
      ? 'Send the platform key in the header Authorization, after the word Bearer'
      : 'What was sent is not the platform key',
  )
