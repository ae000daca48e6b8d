// Marks a transaction with decrypted values as open, from before its start until it can have no effect any more.
// Erasures wait for open transactions (derive/openings.ts).
import { hasCode } from '@weir/kit'

/** The broker aborts a transaction that is open for longer than this time. */
export const TRANSACTION_TIMEOUT_MS = 10_000
/** The default interval in which the broker checks for expired transactions. */
const LOOKS_EVERY_MS = 10_000

/**
 * Runs `begin` and then `work`. When the results are stored, or can't be stored any more, calls the function that
 * `begin` returned. Rethrows what `work` throws.
 */
export async function whileOpen(begin: () => () => void, work: () => Promise<void>): Promise<void> {
  const over = begin()
  try {
    await work()
    over()
  } catch (error) {
    // A commit without a response may still arrive, but not after the transaction has expired.
    if (hasCode(error, 'kafka.outcome_unknown'))
      setTimeout(over, TRANSACTION_TIMEOUT_MS + LOOKS_EVERY_MS).unref()
    else over()
    throw error
  }
}
