// Taking a transactional id from whoever holds it, without wanting to write under it.
import { backoff, delay, withTimeout } from '@weir/kit'

import { isRetriable, refused, unavailable } from '../connect/faults.ts'
import type { Kafka } from '../connect/internals.ts'
import { createTransactor } from './transactor.ts'

const DEADLINE_MS = 15_000
const TRANSACTION_TIMEOUT_MS = 10_000
const PAUSE = { minMs: 20, maxMs: 1_000 }
const WHAT = 'end the transactions of a producer'

/** Resolves once the former holder's transaction has ended, its markers included. */
export async function fenceOnce(kafka: Kafka, transactionalId: string): Promise<void> {
  const end = performance.now() + DEADLINE_MS
  for (const pauseMs of backoff(PAUSE)) {
    try {
      return await withTimeout(attempt(kafka, transactionalId), end - performance.now(), WHAT)
    } catch (error) {
      if (performance.now() + pauseMs > end) throw unavailable(WHAT, error)
      if (!isRetriable(error)) throw refused(WHAT, error)
    }
    await delay(pauseMs)
  }
}

async function attempt(kafka: Kafka, transactionalId: string): Promise<void> {
  const transactor = createTransactor(kafka, {
    transactionalId,
    timeoutMs: TRANSACTION_TIMEOUT_MS,
  })
  try {
    await transactor.fence()
  } finally {
    void transactor.close()
  }
}
