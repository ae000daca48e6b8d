// Finds the patterns that V8 matches in linear time, with the package recheck. Only a proof by recheck's automaton
// counts, not that its fuzzer found nothing. Most patterns are proved in milliseconds, but some need almost unlimited
// time. So each pattern gets a short time first. Slow patterns are tried again in another thread, where they don't
// delay fast patterns.
import { createProofs, createRests } from './proofs.ts'

const rests = createRests()
const quick = createProofs(500, rests)
const patient = createProofs(10_000, rests)
/** The maximum time for all patterns of one contract, including the wait for patterns of other contracts. */
const allMs = 20_000
const settledMax = 1_000

/** Caches whether a pattern is linear, if more time can't change the result. The newest entry is last. */
const settled = new Map<string, boolean>()

/**
 * Returns the patterns that are proved linear. A pattern that takes too long is not proved.
 * @param account the account whose queue the patterns wait in
 * @throws ContractsError `contracts.unavailable` if patterns of other accounts take too long
 */
export async function proveLinear(
  patterns: readonly string[],
  account: string,
): Promise<ReadonlySet<string>> {
  const linear = new Set<string>()
  const endMs = performance.now() + allMs
  for (const pattern of new Set(patterns)) {
    const turn = { account, waitMs: endMs - performance.now() }
    if (settled.get(pattern) ?? (turn.waitMs > 0 && (await prove(pattern, turn))))
      linear.add(pattern)
  }
  return linear
}

async function prove(pattern: string, turn: { account: string; waitMs: number }): Promise<boolean> {
  const first = await quick.of(pattern, turn)
  const proof = first?.isSettled === false ? await patient.of(pattern, turn) : first
  if (proof === undefined) return false
  if (proof.isSettled) settled.set(pattern, proof.isLinear)
  const [oldest] = settled.keys()
  if (settled.size > settledMax && oldest !== undefined) settled.delete(oldest)
  return proof.isLinear
}
