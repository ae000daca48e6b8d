// Issues tokens to an authenticated client (docs/wire-format.md Tokens).
import { isDecryptedByReaders } from '@weir/control-state'
import type { Signer } from '../control/keys/signing-keys.ts'
import {
  idLifeSecondsMax,
  refreshLifeSecondsMax,
  signIdToken,
  signRefreshToken,
} from '@weir/tokens'
import type { AnswerNamed } from '../api/answers/answers.ts'
import type { AuthenticatedClient } from './authenticate.ts'

export type IssueTokens = (client: AuthenticatedClient) => AnswerNamed<'Tokens'>

export function createIssue(deps: {
  /** @throws Refusal `unavailable` while there is no key */
  signer: () => Signer
  issuer: string
  now: () => number
}): IssueTokens {
  const { signer, issuer, now } = deps
  return ({ stream, credential, authenticatedAtSeconds }) => {
    const key = signer()
    const nowSeconds = Math.floor(now() / 1000)
    const { billingId, name, streamId, kind } = stream
    const isForReaders = stream.kind === 'derived' && isDecryptedByReaders(stream)
    const sub = credential.clientId
    const idToken = signIdToken(
      key,
      {
        sub,
        billingId,
        stream: name,
        streamId,
        kind,
        ...(isForReaders ? { decryptAt: 'reader' } : {}),
      },
      { issuer, nowSeconds, lifeSeconds: idLifeSecondsMax },
    )
    const refreshToken = signRefreshToken(
      key,
      { sub, billingId, auth_time: authenticatedAtSeconds },
      {
        issuer,
        nowSeconds,
        lifeSeconds: authenticatedAtSeconds + refreshLifeSecondsMax - nowSeconds,
      },
    )
    return { idToken, refreshToken, expiresAt: nowSeconds + idLifeSecondsMax }
  }
}
