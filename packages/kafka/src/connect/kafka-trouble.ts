// The latest connection problem of a Kafka handle, for readiness.
import { internalsOf } from './internals.ts'
import type { Kafka } from './internals.ts'

/** Returns the reason if Kafka was recently unreachable, otherwise an empty list. */
export function kafkaTrouble(kafka: Kafka): string[] {
  const reason = internalsOf(kafka).troubles.current()
  return reason === undefined ? [] : [`Kafka: ${reason}`]
}
