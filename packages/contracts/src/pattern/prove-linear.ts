// Which patterns V8 matches in linear time, as the package recheck proves it: only its automaton counts,
// never its fuzzer's «found nothing». It runs in a worker thread that ends after each call, so that a hard
// pattern holds up nobody, neither Java nor a native program is started, and no process is kept alive.
import { Worker } from 'node:worker_threads'

import type { Proof } from './prove-linear-worker.ts'
import { ContractsError } from '../errors.ts'

/** For the patterns of one contract; and so long it waits for those of others before it. */
const allMs = 20_000
const settledMax = 1_000

/** Proofs that time can't change, the newest last. */
const settled = new Map<string, Proof>()
let turn: Promise<unknown> = Promise.resolve()

/**
 * Those of the patterns that are proved linear. What takes too long isn't proved.
 * @throws ContractsError `contracts.unavailable` when contracts of others take too long
 */
export async function proveLinear(patterns: readonly string[]): Promise<ReadonlySet<string>> {
  // one worker at a time: each takes a core and some 100 MB
  const before = turn
  let isGivenUp = false
  const proofs = before.then(() => (isGivenUp ? [] : proveAll([...new Set(patterns)])))
  turn = proofs.catch(() => {})
  if (!(await isOverWithin(before, allMs))) {
    isGivenUp = true
    throw new ContractsError(
      'contracts.unavailable',
      'The patterns of other contracts are being checked; try again in a moment',
    )
  }
  return new Set((await proofs).flatMap((proof) => (proof.isLinear ? [proof.pattern] : [])))
}

async function isOverWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  void work.then(() => resolve(true))
  const isOver = await promise
  clearTimeout(timer)
  return isOver
}

async function proveAll(patterns: readonly string[]): Promise<readonly Proof[]> {
  const known = patterns.flatMap((pattern) => settled.get(pattern) ?? [])
  const open = patterns.filter((pattern) => !settled.has(pattern))
  const fresh = open.length === 0 ? [] : await askWorker(open)
  for (const proof of fresh) {
    if (proof.isSettled) settled.set(proof.pattern, proof)
  }
  for (const pattern of settled.keys()) {
    if (settled.size <= settledMax) break
    settled.delete(pattern)
  }
  return [...known, ...fresh]
}

/** Answers what was proved before time ran out, or before the worker broke on a pattern. */
async function askWorker(patterns: readonly string[]): Promise<readonly Proof[]> {
  const proofs: Proof[] = []
  const worker = new Worker(new URL('./prove-linear-worker.ts', import.meta.url), {
    env: { RECHECK_SYNC_BACKEND: 'pure' },
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  worker.unref()
  const { promise, resolve } = Promise.withResolvers<void>()
  // not unref'd: whoever waits for a proof gets an answer
  const timer = setTimeout(resolve, allMs)
  worker.on('message', (proof: Proof) => {
    proofs.push(proof)
    if (proofs.length === patterns.length) resolve()
  })
  worker.on('error', () => resolve())
  worker.on('exit', () => resolve())
  for (const pattern of patterns) worker.postMessage(pattern)
  await promise
  clearTimeout(timer)
  await worker.terminate()
  return proofs
}
