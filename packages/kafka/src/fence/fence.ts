// Fences the holder of a transactional id, without writing records.
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { requestsUntil } from './transaction-requests.ts'
import { untilDone } from './until-done.ts'

const UNDERTAKING = { what: 'end the transactions of a producer', deadlineMs: 15_000 }
const TRANSACTION_TIMEOUT_MS = 10_000

/** `fenced`: the transactional id may have had a holder before. `none`: it had none that Kafka remembers. */
export type FormerHolder = 'fenced' | 'none'

/** Resolves once the former holder's transaction has ended, and its markers are written. */
export async function fenceOnce(kafka: Kafka, transactionalId: string): Promise<FormerHolder> {
  const { cluster } = internalsOf(kafka)
  const leave = cluster.join()
  try {
    const { producerEpoch } = await untilDone(UNDERTAKING, (untilMs) =>
      requestsUntil(cluster, untilMs).init(transactionalId, TRANSACTION_TIMEOUT_MS),
    )
    return producerEpoch === 0 ? 'none' : 'fenced'
  } finally {
    leave()
  }
}
