// Verifies tokens: only RS256, with the caller's key for the token's kid. Issuer, audience and expiry must be valid. A
// lifetime longer than auth permits is invalid: with a leaked key, an attacker could sign tokens for years. Every fault
// gives the same error, so nobody learns which check failed.
import type { KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { IdClaims, RefreshClaims } from './claims.ts'
import {
  idAudience,
  idLifeSecondsMax,
  isIdClaims,
  isRefreshClaims,
  refreshAudience,
  refreshLifeSecondsMax,
} from './claims.ts'
import { TokenError } from './errors.ts'

export type VerifyOptions = {
  /** Returns the public key of a kid; undefined if the issuer has no such key. */
  readonly keyOf: (kid: string) => KeyObject | undefined
  readonly issuer: string
  readonly nowSeconds: number
}

const tokenCharsMax = 8_192
const kidCharsMax = 128
/** How far the issuer's clock may be ahead of this clock. Expiry has no tolerance. */
const aheadSecondsMax = 60

/** @throws TokenError `tokens.invalid` */
export function verifyIdToken(token: string, options: VerifyOptions): IdClaims {
  const payload = verify(token, idAudience, options)
  if (!isIdClaims(payload) || isAhead(payload, options)) throw invalidToken()
  if (payload.exp - payload.iat > idLifeSecondsMax) throw invalidToken()
  return payload
}

/** @throws TokenError `tokens.invalid` */
export function verifyRefreshToken(token: string, options: VerifyOptions): RefreshClaims {
  const payload = verify(token, refreshAudience, options)
  if (!isRefreshClaims(payload) || isAhead(payload, options)) throw invalidToken()
  if (payload.exp - payload.auth_time > refreshLifeSecondsMax) throw invalidToken()
  return payload
}

function verify(
  token: string,
  audience: string,
  { keyOf, issuer, nowSeconds }: VerifyOptions,
): unknown {
  if (typeof token !== 'string' || token.length > tokenCharsMax) throw invalidToken()
  if (!isSpeltOnce(token)) throw invalidToken()
  try {
    const header = jwt.decode(token, { complete: true })?.header
    if (header?.alg !== 'RS256' || header.typ !== 'JWT' || !isKid(header.kid)) throw invalidToken()
    const key = keyOf(header.kid)
    if (key === undefined) throw invalidToken()
    return jwt.verify(token, key, {
      algorithms: ['RS256'],
      issuer,
      audience,
      clockTimestamp: nowSeconds,
      clockTolerance: 0,
    })
  } catch {
    throw invalidToken()
  }
}

/**
 * Whether an unverified token claims to be a refresh token. Use this only for the error sentence of a refused token.
 */
export function saysItRefreshes(token: string): boolean {
  if (token.length > tokenCharsMax) return false
  try {
    const payload = jwt.decode(token)
    return typeof payload === 'object' && payload?.aud === refreshAudience
  } catch {
    return false
  }
}

const isAhead = ({ iat }: { iat: number }, { nowSeconds }: VerifyOptions): boolean =>
  iat > nowSeconds + aheadSecondsMax

/**
 * Whether the signature has its only valid spelling. Its last character has unused bits, so several texts decode to the
 * same bytes.
 */
function isSpeltOnce(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

const isKid = (kid: unknown): kid is string =>
  typeof kid === 'string' && kid !== '' && kid.length <= kidCharsMax

const invalidToken = (): TokenError =>
  new TokenError(
    'tokens.invalid',
    'The token is missing, malformed, expired or revoked; get a new one',
  )
