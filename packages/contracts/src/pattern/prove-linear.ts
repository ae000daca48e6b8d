// Which patterns V8 matches in linear time, as the package recheck proves it: only its automaton counts, never its
// fuzzer's «found nothing». Most are proved in milliseconds, some would practically never be. So each gets a short time
// first; those that need more get it in another thread, where ordinary patterns don't wait for them.
import { createProofs, createRests } from './proofs.ts'

const rests = createRests()
const quick = createProofs(500, rests)
const patient = createProofs(10_000, rests)
/** The maximum for the patterns of one contract together, including the wait for those of others. */
const allMs = 20_000
const settledMax = 1_000

/** Whether a pattern is linear, if more time can't change the result; the newest last. */
const settled = new Map<string, boolean>()

/**
 * Those of the patterns that are proved linear. A pattern that takes too long isn't proved.
 * @param account the account in whose queue they wait
 * @throws ContractsError `contracts.unavailable` if patterns of others take too long
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
