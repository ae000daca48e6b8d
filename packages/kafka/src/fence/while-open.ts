// A transaction that holds what was opened with keys, from before it begins until it can have no effect any more: others
// are told of both moments (derivation.ts, `onBegin`).
import { hasCode } from '@weir/kit'

/** After this time the broker ends a transaction by itself. */
export const TRANSACTION_TIMEOUT_MS = 30_000

/** Passes on what `work` throws. */
export async function whileOpen(
  onBegin: (() => () => void) | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const over = onBegin?.()
  try {
    await work()
    over?.()
  } catch (error) {
    // A commit whose answer is missing may still arrive, but not after the transaction's time.
    if (hasCode(error, 'kafka.outcome_unknown') && over)
      setTimeout(over, TRANSACTION_TIMEOUT_MS).unref()
    else over?.()
    throw error
  }
}
