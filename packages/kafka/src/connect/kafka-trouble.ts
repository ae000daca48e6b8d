// The latest connection problem of a Kafka handle, for readiness.
import { internalsOf } from './internals.ts'
import type { Kafka } from './internals.ts'

/** A reason why Kafka was recently unreachable, to be listed among the reasons why a service isn't ready; or empty. */
export function kafkaTrouble(kafka: Kafka): string[] {
  const reason = internalsOf(kafka).troubles.current()
  return reason === undefined ? [] : [`Kafka: ${reason}`]
}
