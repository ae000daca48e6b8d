// The errors of this package. Their messages never contain record content.
import { AppError } from '@weir/kit'

/** `unavailable`: the record is certainly not stored. `outcome_unknown`: the record may be stored. */
export type ProduceErrorCode =
  | 'kafka.unavailable'
  | 'kafka.outcome_unknown'
  | 'kafka.record_too_large'

export type KafkaErrorCode =
  | ProduceErrorCode
  | 'kafka.connection_lost'
  | 'kafka.fenced'
  | 'kafka.gap'
  | 'kafka.group_not_empty'
  | 'kafka.hanging_transaction'
  | 'kafka.input_shrunk'
  | 'kafka.malformed'
  | 'kafka.moved'
  | 'kafka.no_authorizer'
  | 'kafka.no_leader'
  | 'kafka.no_token'
  | 'kafka.not_found'
  | 'kafka.not_sent'
  | 'kafka.record_refused'
  | 'kafka.refused'
  | 'kafka.too_large'
  | 'kafka.unsupported_broker'

export class KafkaError<Code extends KafkaErrorCode = KafkaErrorCode> extends AppError<Code> {}
