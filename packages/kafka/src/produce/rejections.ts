// Errors for records that are not stored, or whose outcome is unknown. Clients see these messages. Some errors are
// shared objects, because a stack trace per record would cost more than the record.
import { KafkaError } from '../errors.ts'

const unavailable = (message: string, cause?: unknown): Error =>
  new KafkaError('kafka.unavailable', message, { cause })
const unknown = (message: string, cause?: unknown): Error =>
  new KafkaError('kafka.outcome_unknown', message, { cause })

export const NOT_A_TIME: Error = new TypeError('timestampMs must be a whole number')
export const FULL = unavailable('Not stored: too much is waiting for Kafka; send it again')
export const CLOSED = unavailable('Not stored: shutting down; send it again')
export const FORGOTTEN = unavailable('Not stored: the topic is being deleted')
export const NOT_SENT_IN_TIME = unavailable(
  'Not stored: Kafka did not take it in time; send it again',
)
export const NOT_ANSWERED_IN_TIME = unknown(
  'May be stored: Kafka did not acknowledge it in time; if you send it again, it may be stored twice',
)
export const TOO_LARGE: Error = new KafkaError(
  'kafka.record_too_large',
  'the record is too large to be stored',
)

export const notStored = (cause: unknown): Error =>
  unavailable('Not stored: Kafka refused it; send it again', cause)

export const mayBeStored = (cause: unknown): Error =>
  unknown(
    'May be stored: Kafka did not say whether it is; if you send it again, it may be stored twice',
    cause,
  )
