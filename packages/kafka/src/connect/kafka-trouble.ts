// The trouble of one Kafka handle, for readiness.
import { internalsOf } from './internals.ts'
import type { Kafka } from './internals.ts'

/** Why Kafka could not be reached of late: a reason more for a service that isn't ready, or none. */
export function kafkaTrouble(kafka: Kafka): string[] {
  const reason = internalsOf(kafka).troubles.current()
  return reason === undefined ? [] : [`Kafka: ${reason}`]
}
