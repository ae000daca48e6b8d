// Where tokens are asked for: who proves himself, by what, and what he gets.
import { createFailureLimit } from '@weir/kit'
import { createSigner, createVerificationKeys } from '@weir/streams'
import type { StateFollower } from '@weir/streams'
import { createIssue } from './issue.ts'
import type { Issue } from './issue.ts'
import type { AuthMetrics } from './metrics.ts'
import { createProver } from './prove.ts'
import type { Prover } from './prove.ts'

export type TokenDesk = {
  readonly prover: Prover
  readonly issue: Issue
  readonly metrics: Pick<AuthMetrics, 'tokenIssued' | 'tokenRefused'>
}

export function createTokenDesk(deps: {
  follower: StateFollower
  issuer: string
  now: () => number
  metrics: TokenDesk['metrics']
}): TokenDesk {
  const { follower, issuer, now, metrics } = deps
  const failures = createFailureLimit({ now })
  const keyOf = createVerificationKeys(follower.tables, now)
  return {
    prover: createProver({ follower, failures, keyOf, issuer, now }),
    issue: createIssue({ signer: createSigner({ follower, now }), issuer, now }),
    metrics,
  }
}
