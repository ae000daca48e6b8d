// The latest connection problem of a Kafka handle, for readiness.
import { internalsOf } from './internals.ts'
import type { Kafka } from './internals.ts'

/**
 * Returns why Kafka was recently unreachable, as an entry for a service's reasons for not being ready. Empty if Kafka
 * was reachable.
 */
export function kafkaTrouble(kafka: Kafka): string[] {
  const reason = internalsOf(kafka).troubles.current()
  return reason === undefined ? [] : [`Kafka: ${reason}`]
}
