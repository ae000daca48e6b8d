// The thread that `proofs.ts` starts: takes patterns, answers one proof each, in order. Not imported by
// anything else, since recheck's checker blocks the thread that it runs in.
import { parentPort } from 'node:worker_threads'

import { checkSync } from 'recheck'

export type Proof = {
  readonly isLinear: boolean
  /** False when time ran out: on another day the answer may be another. */
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
