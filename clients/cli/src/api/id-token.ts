// Gets id tokens from auth for a stream's credentials. Tokens are only kept in memory.
import { requireBillingId } from '../accounts/account.ts'
import type { CliAccount } from '../accounts/account.ts'
import type { StreamCredentials } from '../accounts/profile.ts'
import { call, urlOf } from './request.ts'
import { failure } from '../errors.ts'
import { textAt, tryParseJson, valueAt } from '../json.ts'
import { visible } from '../terminal/table.ts'

const renewBeforeMs = 60_000

/**
 * Returns auth's unchanged response: idToken, refreshToken, expiresAt. Throws if credentials of the environment are of
 * another stream.
 */
export async function requestToken(
  account: CliAccount,
  name: string,
  credentials: StreamCredentials,
): Promise<unknown> {
  const answer = await fetchToken(account, name, credentials)
  if (credentials === account.credentials) requireStream(name, idTokenOf(answer))
  return answer
}

/** Like `requestToken`, but accepts credentials of the environment for another stream. */
export async function fetchToken(
  account: CliAccount,
  name: string,
  { clientId, clientSecret }: StreamCredentials,
): Promise<unknown> {
  const billingId = requireBillingId(account)
  const json = { billingId, clientId, clientSecret }
  const advice =
    account.credentials === undefined
      ? `The saved credentials of ${name} are no longer valid. If it still exists, create new ones: weir credentials rotate ${name} --save`
      : 'The credentials are from WEIR_CLIENT_ID and WEIR_CLIENT_SECRET. Do they belong to this account?'
  return call({ method: 'POST', url: urlOf(account.authUrl, ['auth']), json }, { 401: advice })
}

/**
 * Throws if a token is of another stream. Exported credentials apply to every command of the shell, whatever stream it
 * names.
 */
export function requireStream(name: string, token: string): void {
  const { stream } = claimsOf(token)
  if (stream === undefined || stream === name) return
  throw failure(
    `WEIR_CLIENT_ID and WEIR_CLIENT_SECRET are the credentials of ${visible(stream)}, not of ${name}`,
    `Set them to credentials of ${name}, or remove them: ${unsetCredentials}`,
  )
}

export const unsetCredentials = 'unset WEIR_CLIENT_ID WEIR_CLIENT_SECRET'

/** Decodes the token, without verifying it. */
export function claimsOf(token: string): {
  readonly stream: string | undefined
  readonly isOutput: boolean
  /** True for an output with `decryptAt: reader`. */
  readonly isForReaders: boolean
} {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  const claims = tryParseJson(payload)
  return {
    stream: textAt(claims, 'stream'),
    isOutput: textAt(claims, 'kind') === 'derived',
    isForReaders: textAt(claims, 'decryptAt') === 'reader',
  }
}

/** Returns a function that returns a token, valid for at least another minute. */
export function createIdTokenSource(
  account: CliAccount,
  name: string,
  credentials: StreamCredentials,
): () => Promise<string> {
  let token = ''
  let renewAtMs = 0
  return async () => {
    if (Date.now() < renewAtMs) return token
    const answer = await requestToken(account, name, credentials)
    const expiresAt = valueAt(answer, 'expiresAt')
    token = idTokenOf(answer)
    renewAtMs = typeof expiresAt === 'number' ? expiresAt * 1000 - renewBeforeMs : 0
    return token
  }
}

export function idTokenOf(answer: unknown): string {
  const token = textAt(answer, 'idToken')
  if (token === undefined)
    throw failure('the response of auth contains no idToken', 'Is WEIR_AUTH_URL right?')
  return token
}
