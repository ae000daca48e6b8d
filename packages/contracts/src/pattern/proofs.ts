// Runs one worker thread that proves patterns linear, so that a hard pattern never blocks the event loop. Accounts take
// turns, with one pattern per turn. After a slow pattern, its account must pause for twice the time that the pattern
// took, so that one account never occupies a processor fully. An idle thread ends after a while, and never keeps the
// process alive.
import { Worker } from 'node:worker_threads'
import { createFairQueue } from '@weir/kit'

import type { Proof, ProofRequest } from './prove-linear-worker.ts'
import { ContractsError } from '../errors.ts'

const idleMs = 1_000
const memoryMb = 256

export type Proofs = {
  /**
   * Resolves with undefined if the worker fails, or if the account must pause for longer than `waitMs`.
   * @param options.waitMs the maximum wait for the account's turn
   * @throws ContractsError `contracts.unavailable` if patterns of other accounts take longer than that
   */
  of(pattern: string, options: { account: string; waitMs: number }): Promise<Proof | undefined>
}

/** @param patternMs a pattern that takes longer is not proved */
export function createProofs(patternMs: number, rests = createRests()): Proofs {
  const turns = createTurns()
  let worker: Worker | undefined
  let ending: NodeJS.Timeout | undefined
  const endWorker = (): void => {
    void worker?.terminate()
    worker = undefined
  }

  async function ask(pattern: string): Promise<Proof | undefined> {
    clearTimeout(ending)
    const asked = (worker ??= startWorker())
    const { promise, resolve } = Promise.withResolvers<Proof | undefined>()
    const broke = (): void => resolve(undefined)
    // No unref() here, so that the process does not end while a caller waits for a proof.
    const timer = setTimeout(broke, patternMs + 10_000)
    asked.once('message', resolve).once('exit', broke)
    asked.postMessage({ pattern, patternMs } satisfies ProofRequest)
    const proof = await promise
    clearTimeout(timer)
    asked.off('message', resolve).off('exit', broke)
    if (proof === undefined) endWorker()
    ending = setTimeout(endWorker, idleMs).unref()
    return proof
  }

  return {
    async of(pattern, { account, waitMs }) {
      const endMs = performance.now() + waitMs
      for (;;) {
        if (!(await rests.rest(account, endMs))) return undefined
        await turns.take(account, endMs - performance.now())
        if (!rests.isResting(account)) break
        turns.pass() // another pattern of the account came first
      }
      const startMs = performance.now()
      return ask(pattern).finally(() => {
        rests.tire(account, performance.now() - startMs)
        turns.pass()
      })
    },
  }
}

const longMs = 100

/** Makes accounts pause after slow patterns. */
export function createRests() {
  const untilMs = new Map<string, number>()
  const leftMs = (account: string): number => (untilMs.get(account) ?? 0) - performance.now()
  return {
    isResting: (account: string): boolean => leftMs(account) > 0,
    /** Waits until the pause has ended. Returns false, without waiting, if it would end after `endMs`. */
    async rest(account: string, endMs: number): Promise<boolean> {
      const restMs = leftMs(account)
      if (restMs > endMs - performance.now()) return false
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
      return true
    },
    tire(account: string, tookMs: number): void {
      for (const one of untilMs.keys()) if (leftMs(one) <= 0) untilMs.delete(one)
      if (tookMs > longMs) untilMs.set(account, performance.now() + 2 * tookMs)
    },
  }
}

function startWorker(): Worker {
  const started = new Worker(new URL('./prove-linear-worker.ts', import.meta.url), {
    env: { RECHECK_SYNC_BACKEND: 'pure' },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  started.unref()
  // An error is always followed by the event `exit`, which `ask` handles.
  return started.on('error', () => {})
}

function createTurns() {
  /** Each function starts a caller's turn. It returns false if the caller no longer waits. */
  const waiting = createFairQueue<() => boolean>()
  let isTaken = false
  const pass = (): void => {
    for (;;) {
      const next = waiting.shift()
      isTaken = next !== undefined && next()
      if (next === undefined || isTaken) return
    }
  }
  return {
    async take(account: string, waitMs: number): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      let isWanted = true
      const timer = setTimeout(() => {
        isWanted = false
        const sentence = 'The patterns of other contracts are being checked; try again in a moment'
        reject(new ContractsError('contracts.unavailable', sentence))
      }, waitMs)
      waiting.push(account, () => {
        clearTimeout(timer)
        if (isWanted) resolve()
        return isWanted
      })
      if (!isTaken) pass()
      await promise
    },
    pass,
  }
}
