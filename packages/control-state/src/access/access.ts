// Finds the stream that an Authorization header gives access to (spec Authentication 2, 3). The token's signature must
// be valid, and its stream and credentials must still exist. A verified token is cached. The tables are checked for
// every request, so a deletion or revocation takes effect with the next request.
import type { KeyObject } from 'node:crypto'
import { hasCode } from '@weir/kit'
import { saysItRefreshes, verifyIdToken } from '@weir/tokens'
import type { IdClaims } from '@weir/tokens'
import type { StateFollower } from '../tables/follow.ts'
import type { Credential, Scope, StreamRecord } from '../records/records.ts'
import { createTokenCache } from './token-cache.ts'
import { createVerificationKeys } from './verification-keys.ts'
import { ControlStateError } from '../errors.ts'

export type Access = {
  readonly stream: StreamRecord
  readonly credential: Credential
  readonly scope: readonly Scope[]
  readonly clientId: string
  /** Epoch seconds. */
  readonly expiresAt: number
  /** The id of the key that signed the token. */
  readonly kid: string
}

export type Gate = {
  /**
   * Returns the access that a bearer token gives: as a promise only if the tables must be refreshed first.
   * @throws ControlStateError `control-state.invalid_token`, with the same sentence for all invalid id tokens
   */
  check(authorization: string | undefined): Access | Promise<Access>
  /** Looks up the access again for a token that was checked before. Returns undefined if the access has ended. */
  recheck(access: Access): Access | undefined
}

const bearer = /^bearer +([\w.~+/=-]+) *$/i

export function createGate(options: {
  follower: Pick<StateFollower, 'tables' | 'refresh'>
  issuer: string
  now: () => number
}): Gate {
  const { follower, now } = options
  const keyOf = createVerificationKeys(follower.tables, now)
  const verify = createVerify({ ...options, keyOf })

  const look = (authorization: string): Access | undefined => {
    const known = verify(authorization)
    if (known === undefined) return undefined
    const found = follower.tables.credential(known.claims.sub)
    // Records are replaced as a whole, so the same object gives the same access.
    if (found === undefined || found !== known.found) {
      known.found = found
      known.access = found && accessOf(known, found)
    }
    return known.access
  }

  /** Refreshes the tables, because the token may be newer than they are, and looks up the access again. */
  const refresh = async (authorization: string): Promise<Access> => {
    await follower.refresh()
    const access = look(authorization)
    if (access === undefined) throw invalidToken()
    return access
  }

  return {
    check(authorization) {
      if (authorization === undefined) throw noBearer()
      return look(authorization) ?? refresh(authorization)
    },
    recheck(access) {
      if (access.expiresAt <= Math.floor(now() / 1000)) return undefined
      if (keyOf(access.kid) === undefined) return undefined
      const found = follower.tables.credential(access.clientId)
      if (found === undefined || found.stream.streamId !== access.stream.streamId) return undefined
      if (found.stream.state !== 'ready') return undefined
      return { ...access, ...found, scope: found.credential.scope }
    },
  }
}

type Verifying = {
  readonly keyOf: (kid: string) => KeyObject | undefined
  readonly issuer: string
  readonly now: () => number
}

/** The returned function returns undefined if the token names a key that the tables don't contain yet. */
function createVerify(options: Verifying): (authorization: string) => Verified | undefined {
  const { keyOf, now } = options
  const verified = createTokenCache<Verified>()
  return (authorization) => {
    const nowSeconds = Math.floor(now() / 1000)
    // False if, since the verification, the token has expired or its key was revoked.
    const isGood = ({ claims, kid }: Verified): boolean =>
      claims.exp > nowSeconds && keyOf(kid) !== undefined
    const usual = verified.get(authorization)
    if (usual !== undefined && isGood(usual)) return usual
    const token = bearer.exec(authorization)?.[1]
    if (token === undefined) throw noBearer()
    if (token.startsWith('weir_')) throw apiKey()
    const spelling = `Bearer ${token}`
    const known = verified.get(spelling)
    if (known !== undefined && isGood(known)) return known
    verified.delete(spelling)
    const made = verifyAnew(options, token, nowSeconds)
    if (made !== undefined) verified.set(spelling, made)
    return made
  }
}

function verifyAnew(
  { keyOf, issuer }: Verifying,
  token: string,
  nowSeconds: number,
): Verified | undefined {
  let kid = ''
  let keyIsUnknown = false
  const noteKid = (named: string): KeyObject | undefined => {
    kid = named
    const key = keyOf(named)
    keyIsUnknown = key === undefined
    return key
  }
  try {
    const claims = verifyIdToken(token, { keyOf: noteKid, issuer, nowSeconds })
    return { claims, kid, found: undefined, access: undefined }
  } catch (error) {
    if (!hasCode(error, 'tokens.invalid')) throw error
    if (saysItRefreshes(token)) throw refreshToken()
    if (keyIsUnknown) return undefined
    throw invalidToken()
  }
}

type Found = { readonly stream: StreamRecord; readonly credential: Credential }
/** A verified token, and the access that its last look-up found. */
type Verified = {
  readonly claims: IdClaims
  readonly kid: string
  found: Found | undefined
  access: Access | undefined
}

function accessOf(
  { claims, kid }: Pick<Verified, 'claims' | 'kid'>,
  { stream, credential }: Found,
): Access | undefined {
  if (stream.state !== 'ready' || stream.streamId !== claims.streamId) return undefined
  if (stream.billingId !== claims.billingId || stream.kind !== claims.kind) return undefined
  const { scope } = credential
  return { stream, credential, scope, clientId: claims.sub, expiresAt: claims.exp, kid }
}

const refused = (sentence: string): ControlStateError<'control-state.invalid_token'> =>
  new ControlStateError('control-state.invalid_token', sentence)

const invalidToken = () =>
  refused('The token is missing, malformed, expired or revoked; get a new one')
const noBearer = () =>
  refused('An id token is needed, in the header Authorization: Bearer <idToken>')
const refreshToken = () =>
  refused('This is a refresh token; send the idToken that auth gives with it')
const apiKey = () =>
  refused(
    "This is an API key; an id token is needed, which auth issues for a stream's client id and secret",
  )
