// From an Authorization header to the account that calls: its API key arrives as a bearer token. Accounts are
// found by the hash of their key, so no comparison can tell how much of it fits.
import { AppError } from '@weir/kit'
import type { StateFollower } from './follow.ts'
import type { AccountRecord } from './records.ts'
import { hashSecret } from './secrets.ts'

export type Accounts = {
  /** @throws AppError `invalid_api_key` */
  byApiKey(authorization: string | undefined): Promise<AccountRecord>
}

export function createAccounts(
  follower: Pick<StateFollower, 'lookAgain'> & {
    readonly tables: Pick<StateFollower['tables'], 'accountByApiKey'>
  },
): Accounts {
  return {
    async byApiKey(authorization) {
      const key = bearerOf(authorization)
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
  }
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

const noApiKey = (): AppError<'invalid_api_key'> =>
  new AppError(
    'invalid_api_key',
    "Send the account's API key in the header Authorization, after the word Bearer",
  )

const unknownApiKey = (): AppError<'invalid_api_key'> =>
  new AppError('invalid_api_key', 'No account has the API key that was sent')
