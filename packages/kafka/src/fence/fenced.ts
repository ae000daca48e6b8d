// Recognises Kafka's errors after another producer has acquired the transactional id.
import { protocolTypeOf } from '../connect/faults.ts'
import { KafkaError } from '../errors.ts'

const FENCED_BY: readonly string[] = [
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'TRANSACTION_COORDINATOR_FENCED',
]

export function isFenced(error: unknown): boolean {
  const type = protocolTypeOf(error)
  return type !== undefined && FENCED_BY.includes(type)
}

export const fencedBy = (cause: unknown): KafkaError =>
  new KafkaError('kafka.fenced', 'another producer has taken over', { cause })
