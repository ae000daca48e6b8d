// A transaction that holds what was decrypted, from before it begins until it can have no effect any more: erasures wait for what
// is open (derive/openings.ts).
import { hasCode } from '@weir/kit'

/** After this time the broker ends a transaction by itself. */
export const TRANSACTION_TIMEOUT_MS = 10_000
/** How often it looks for such, by its default. */
const LOOKS_EVERY_MS = 10_000

/** What `begin` gives is called when nothing of it can be stored any more, or is. Passes on what `work` throws. */
export async function whileOpen(begin: () => () => void, work: () => Promise<void>): Promise<void> {
  const over = begin()
  try {
    await work()
    over()
  } catch (error) {
    // A commit whose answer is missing may still arrive, but not after the transaction's time.
    if (hasCode(error, 'kafka.outcome_unknown'))
      setTimeout(over, TRANSACTION_TIMEOUT_MS + LOOKS_EVERY_MS).unref()
    else over()
    throw error
  }
}
