import { expect, test } from '@jest/globals'

import { createProofs } from '../../src/pattern/proofs.ts'
import type { Proofs } from '../../src/pattern/proofs.ts'

/** Returns a pattern whose automaton has too many states to be computed in time. */
const endless = (nth: number): string => `^.*a.{12}b.{12}c${nth}`

/**
 * Proves an easy pattern. Repeats this until it succeeds, because on a busy machine even an easy pattern may take too
 * long.
 */
async function untilProved(proofs: Proofs, account: string): Promise<void> {
  for (;;) if ((await proofs.of('^a+$', { account, waitMs: 60_000 }))?.isLinear) return
}

test('what takes too long isn’t proved, and an account waits for one pattern of another', async () => {
  const proofs = createProofs(1_000)
  const done: string[] = []
  const prove = async (account: string, pattern: string) => {
    const proof = await proofs.of(pattern, { account, waitMs: 60_000 })
    done.push(account)
    return proof
  }
  const loud = [1, 2, 3].map((nth) => prove('loud', endless(nth)))
  expect(await prove('quiet', '^a+$')).toEqual({ isLinear: true, isSettled: true })
  expect(done).toEqual(['loud', 'quiet'])
  expect(await Promise.all(loud)).toEqual(Array(3).fill({ isLinear: false, isSettled: false }))
})

test('who waits in vain is told so, and nobody else waits for it', async () => {
  const proofs = createProofs(500)
  const loud = proofs.of(endless(4), { account: 'loud', waitMs: 60_000 })
  const impatient = proofs.of('^a+$', { account: 'impatient', waitMs: 1 })
  const patient = untilProved(proofs, 'patient')
  await expect(impatient).rejects.toMatchObject({ code: 'contracts.unavailable' })
  await patient
  expect(await loud).toMatchObject({ isLinear: false })
})

test('a pattern that breaks the worker is not proved, and the next one is', async () => {
  const proofs = createProofs(500)
  const turn = { account: 'acme', waitMs: 60_000 }
  expect(await proofs.of('\ud800(', turn)).toMatchObject({ isLinear: false })
  await untilProved(proofs, 'acme')
}, 60_000)

test('an account whose pattern took long rests, and what it cannot wait for is not proved', async () => {
  const proofs = createProofs(200)
  const hard = { account: 'loud', waitMs: 60_000 }
  expect(await proofs.of(endless(5), hard)).toMatchObject({ isLinear: false })
  expect(await proofs.of('^a+$', { account: 'loud', waitMs: 10 })).toBeUndefined()
  await untilProved(proofs, 'quiet')
  await untilProved(proofs, 'loud')
}, 60_000)
