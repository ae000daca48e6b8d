// Token requests: how a client authenticates, and which tokens it gets.
import { createFailureLimit } from '@weir/kit'
import { createSigner } from '../control/keys/signing-keys.ts'
import { createVerificationKeys } from '@weir/control-state'
import type { AccessTrace, StateFollower } from '@weir/control-state'
import { createIssue } from './issue.ts'
import type { IssueTokens } from './issue.ts'
import type { AuthMetrics } from '../metrics.ts'
import { createAuthenticator } from './authenticate.ts'
import type { Client, Authenticator } from './authenticate.ts'

export type TokenService = {
  readonly authenticator: Authenticator
  readonly issue: IssueTokens
  /**
   * Logs that this client can now read a derived stream.
   * @throws ControlStateError `control-state.unavailable`
   */
  trace(client: Client, requestId: string): Promise<void>
  readonly metrics: Pick<AuthMetrics, 'tokenIssued' | 'tokenRefused'>
}

export function createTokenService(deps: {
  follower: StateFollower
  issuer: string
  now: () => number
  metrics: TokenService['metrics']
  trace: Pick<AccessTrace, 'token'>
}): TokenService {
  const { follower, issuer, now, metrics, trace } = deps
  const failures = createFailureLimit({ now })
  const keyOf = createVerificationKeys(follower.tables, now)
  return {
    authenticator: createAuthenticator({ follower, failures, keyOf, issuer, now }),
    issue: createIssue({ signer: createSigner({ follower, now }), issuer, now }),
    async trace({ stream, credential: { clientId } }, requestId) {
      if (stream.kind !== 'derived') return
      const { billingId, linkedStream, name } = stream
      await trace.token({
        action: 'read.token',
        actor: { kind: 'credentials', billingId, clientId, requestId },
        target: { account: billingId, stream: linkedStream, output: name },
      })
    },
    metrics,
  }
}
