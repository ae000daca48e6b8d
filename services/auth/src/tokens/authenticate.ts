// Authenticates a stream's client, by clientId and secret, or by a refresh token. An unknown client gets the same
// response as a wrong secret, after the same steps, and so after the same time.
import { timingSafeEqual } from 'node:crypto'
import type { Refusal } from '@weir/http-api'
import type { KeyObject } from 'node:crypto'
import { hasCode } from '@weir/kit'
import type { FailureLimit } from '@weir/kit'
import { hashSecret } from '@weir/control-state'
import type { Credential, StateFollower, StreamRecord } from '@weir/control-state'
import { verifyRefreshToken } from '@weir/tokens'
import { refusal } from '../errors.ts'

export type Client = { readonly stream: StreamRecord; readonly credential: Credential }

export type AuthenticatedClient = Client & {
  /** When the client used its secret. A refresh does not change this time. */
  readonly authenticatedAtSeconds: number
}

export type Secrets = {
  /** Optional, because clientIds are unique over all accounts. */
  readonly billingId?: string
  readonly clientId: string
  readonly clientSecret: string
}

export type Authenticator = {
  /** @throws Refusal `invalid_credentials`, `too_many_failures` */
  bySecret(secrets: Secrets): Promise<AuthenticatedClient>
  /** @throws Refusal `invalid_credentials` */
  byRefreshToken(token: string): Promise<AuthenticatedClient>
}

const clientIdCharsMax = 64
const nobodysHash = Buffer.alloc(32)

type AuthenticatorDeps = {
  follower: Pick<StateFollower, 'refresh'> & {
    tables: Pick<StateFollower['tables'], 'credential'>
  }
  failures: FailureLimit
  keyOf: (kid: string) => KeyObject | undefined
  issuer: string
  now: () => number
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { follower, failures } = deps
  return {
    async bySecret(secrets) {
      const hash = Buffer.from(hashSecret(secrets.clientSecret), 'hex')
      const client = match(deps, secrets, hash)
      if (client !== undefined) return client
      // Another replica may have just created these credentials. A wrong secret waits for the refresh, too.
      await follower.refresh()
      const late = match(deps, secrets, hash)
      if (late !== undefined) return late
      const waitSeconds = failures.fail(secrets.clientId.slice(0, clientIdCharsMax))
      throw waitSeconds === undefined ? invalidCredentials() : tooManyFailures(waitSeconds)
    },
    async byRefreshToken(token) {
      const client = refreshed(deps, token)
      if (client !== undefined) return client
      await follower.refresh()
      const late = refreshed(deps, token)
      if (late === undefined) throw invalidCredentials()
      return late
    },
  }
}

function match(
  deps: AuthenticatorDeps,
  { billingId, clientId }: Secrets,
  hash: Buffer,
): AuthenticatedClient | undefined {
  const client = clientOf(deps, clientId, billingId)
  const stored = client ? Buffer.from(client.credential.secretHash, 'hex') : nobodysHash
  if (!timingSafeEqual(hash, stored) || client === undefined) return undefined
  return { ...client, authenticatedAtSeconds: Math.floor(deps.now() / 1000) }
}

function refreshed(deps: AuthenticatorDeps, token: string): AuthenticatedClient | undefined {
  const { keyOf, issuer, now } = deps
  try {
    const nowSeconds = Math.floor(now() / 1000)
    const claims = verifyRefreshToken(token, { keyOf, issuer, nowSeconds })
    const client = clientOf(deps, claims.sub, claims.billingId)
    return client && { ...client, authenticatedAtSeconds: claims.auth_time }
  } catch (error) {
    if (hasCode(error, 'tokens.invalid')) return undefined
    throw error
  }
}

function clientOf(
  { follower }: Pick<AuthenticatorDeps, 'follower'>,
  clientId: string,
  billingId?: string,
): Client | undefined {
  const found = follower.tables.credential(clientId)
  if (found?.stream.state !== 'ready') return undefined
  return billingId === undefined || billingId === found.stream.billingId ? found : undefined
}

const invalidCredentials = (): Refusal =>
  refusal(
    'invalid_credentials',
    'The credentials are wrong, expired or revoked, or belong to another billing id',
  )

const tooManyFailures = (waitSeconds: number): Refusal =>
  refusal('too_many_failures', 'Too many failed attempts for this client; wait and try again', {
    headers: { 'retry-after': String(waitSeconds) },
  })
