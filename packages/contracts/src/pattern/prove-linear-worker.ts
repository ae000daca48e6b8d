// The worker thread of `proofs.ts`. It receives patterns, and returns one proof for each, in order. Nothing else may
// import this module, because the package recheck blocks its thread.
import { parentPort } from 'node:worker_threads'

import { checkSync } from 'recheck'

export type Proof = {
  readonly isLinear: boolean
  /** False if time ran out. A later attempt may then have another result. */
  readonly isSettled: boolean
}

export type ProofRequest = { readonly pattern: string; readonly patternMs: number }

parentPort?.on('message', (request: ProofRequest) => {
  parentPort?.postMessage(prove(request))
})

function prove({ pattern, patternMs }: ProofRequest): Proof {
  const result = checkSync(pattern, '', { checker: 'automaton', timeout: patternMs })
  const isTimeout = result.status === 'unknown' && result.error.kind === 'timeout'
  const isLinear =
    result.status === 'safe' && result.checker === 'automaton' && !result.complexity.isFuzz
  return { isLinear, isSettled: !isTimeout }
}
