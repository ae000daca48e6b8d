// The latest connection problem of a Kafka handle, for readiness.
import { internalsOf } from './internals.ts'
import type { Kafka } from './internals.ts'

/** Why Kafka could not be reached recently: one more reason why a service isn't ready, or none. */
export function kafkaTrouble(kafka: Kafka): string[] {
  const reason = internalsOf(kafka).troubles.current()
  return reason === undefined ? [] : [`Kafka: ${reason}`]
}
