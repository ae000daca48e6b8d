// Signs id tokens and refresh tokens, RS256 with a kid. The caller decides who may get a token.
import { randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { IdClaims, RefreshClaims } from './claims.ts'
import { idAudience, refreshAudience } from './claims.ts'

export type SignWith = { readonly kid: string; readonly privateKey: KeyObject }

export type TokenTerms = {
  readonly issuer: string
  readonly nowSeconds: number
  readonly lifeSeconds: number
}

export type IdSubject = Pick<
  IdClaims,
  'sub' | 'billingId' | 'stream' | 'streamId' | 'kind' | 'decryptAt'
>
export type RefreshSubject = Pick<RefreshClaims, 'sub' | 'billingId' | 'auth_time'>

export function signIdToken(key: SignWith, subject: IdSubject, issue: TokenTerms): string {
  const { sub, billingId, stream, streamId, kind, decryptAt } = subject
  const claims: IdClaims = {
    ...common(issue),
    aud: idAudience,
    sub,
    billingId,
    stream,
    streamId,
    kind,
    ...(decryptAt === undefined ? {} : { decryptAt }),
  }
  return sign(key, claims)
}

export function signRefreshToken(
  key: SignWith,
  subject: RefreshSubject,
  issue: TokenTerms,
): string {
  const { sub, billingId, auth_time } = subject
  const claims: RefreshClaims = {
    ...common(issue),
    aud: refreshAudience,
    sub,
    billingId,
    auth_time,
  }
  return sign(key, claims)
}

const common = ({ issuer, nowSeconds, lifeSeconds }: TokenTerms) => ({
  iss: issuer,
  iat: nowSeconds,
  exp: nowSeconds + lifeSeconds,
  jti: randomUUID(),
})

const sign = ({ kid, privateKey }: SignWith, claims: object): string =>
  jwt.sign(claims, privateKey, { algorithm: 'RS256', keyid: kid })
