// Issuing tokens to a client that has proved itself (docs/wire-format.md Tokens).
import type { Signer } from '@weir/streams'
import { signIdToken, signRefreshToken } from '@weir/tokens'
import type { Client } from './prove.ts'

export const idTokenLifeSeconds = 3_600
const refreshTokenLifeSeconds = 30 * 24 * 3_600

/** Drivers break on any other member. */
export type Tokens = {
  readonly idToken: string
  readonly refreshToken: string
  /** Of the id token, in epoch seconds. */
  readonly expiresAt: number
}

export type Issue = (client: Client) => Tokens

export function createIssue(deps: {
  /** @throws AppError `unavailable` while there is no key */
  signer: () => Signer
  issuer: string
  now: () => number
}): Issue {
  const { signer, issuer, now } = deps
  return ({ stream, credential }) => {
    const key = signer()
    const nowSeconds = Math.floor(now() / 1000)
    const { billingId, name, streamId, kind } = stream
    const sub = credential.clientId
    const idToken = signIdToken(
      key,
      { sub, billingId, stream: name, streamId, kind },
      { issuer, nowSeconds, lifeSeconds: idTokenLifeSeconds },
    )
    const refreshToken = signRefreshToken(
      key,
      { sub, billingId },
      { issuer, nowSeconds, lifeSeconds: refreshTokenLifeSeconds },
    )
    return { idToken, refreshToken, expiresAt: nowSeconds + idTokenLifeSeconds }
  }
}
