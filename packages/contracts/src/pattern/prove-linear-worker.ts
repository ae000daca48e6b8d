// The thread that `prove-linear.ts` starts: takes patterns, answers one proof each, in order. Not imported by
// anything else, since recheck's checker blocks the thread that it runs in.
import { parentPort } from 'node:worker_threads'

import { checkSync } from 'recheck'

export type Proof = {
  readonly pattern: string
  readonly isLinear: boolean
  /** False when time ran out: on another day the answer may be another. */
  readonly isSettled: boolean
}

const patternMs = 10_000

parentPort?.on('message', (pattern: string) => {
  parentPort?.postMessage(prove(pattern))
})

function prove(pattern: string): Proof {
  const result = checkSync(pattern, '', { checker: 'automaton', timeout: patternMs })
  const isTimeout = result.status === 'unknown' && result.error.kind === 'timeout'
  const isLinear =
    result.status === 'safe' && result.checker === 'automaton' && !result.complexity.isFuzz
  return { pattern, isLinear, isSettled: !isTimeout }
}
