// Finds the calling account by its API key, the bearer token of the Authorization header. The look-up uses the key's
// hash, so the timing of the look-up reveals nothing about the key.
import type { StateFollower } from '../tables/follow.ts'
import type { ApiKeyRecord, KeyHolder } from '../records/records.ts'
import { hashSecret } from './secrets.ts'
import { ControlStateError } from '../errors.ts'

export type Accounts = {
  /** @throws ControlStateError `control-state.invalid_api_key` */
  byApiKey(authorization: string | undefined): Promise<KeyHolder>
  /** Whether the key is still valid: not deleted, and not expired. */
  isGood(holder: KeyHolder): boolean
}

export function createAccounts(
  follower: Pick<StateFollower, 'refresh'> & {
    readonly tables: Pick<StateFollower['tables'], 'apiKey'>
  },
  now: () => number,
  onUse: (holder: KeyHolder) => void = () => {},
): Accounts {
  return {
    async byApiKey(authorization) {
      const key = bearerOf(authorization)
      if (key === undefined) throw noApiKey()
      const hash = hashSecret(key)
      let holder = follower.tables.apiKey(hash)
      if (holder === undefined) {
        await follower.refresh() // another replica may just have created the key
        holder = follower.tables.apiKey(hash)
      }
      if (holder === undefined) throw unknownApiKey(key)
      if (isExpired(holder.apiKey, now())) throw expiredApiKey()
      onUse(holder)
      return holder
    },
    isGood({ account, apiKey }) {
      const found = follower.tables.apiKey(apiKey.hash)
      return found?.account.billingId === account.billingId && !isExpired(found.apiKey, now())
    },
  }
}

const isExpired = ({ expiresAtMs = Infinity }: ApiKeyRecord, nowMs: number): boolean =>
  expiresAtMs <= nowMs

export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

const noApiKey = (): ControlStateError<'control-state.invalid_api_key'> =>
  new ControlStateError(
    'control-state.invalid_api_key',
    "Send the account's API key in the header Authorization, after the word Bearer",
  )

const unknownApiKey = (key: string): ControlStateError<'control-state.invalid_api_key'> =>
  new ControlStateError(
    'control-state.invalid_api_key',
    key.startsWith('eyJ')
      ? 'This is a token; an API key of the account is needed, which begins with weir_'
      : 'No account has the API key that was sent',
  )

const expiredApiKey = (): ControlStateError<'control-state.invalid_api_key'> =>
  new ControlStateError(
    'control-state.invalid_api_key',
    'The API key that was sent has expired; an owner of the account can create a new one',
  )
