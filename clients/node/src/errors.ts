// The errors of this package: three classes, each with a closed union of codes. A rejected event is certainly not stored,
// and would be rejected again. An undelivered event may be sent again, and `mayBeStored` says whether that could store
// it twice. A read error ends the reading of a topic. No message contains a token or a secret.

/** Codes of ingest and auth (docs/errors.md), and three of this package. */
const rejections = [
  /** Found before sending: the event does not fit the contract's schema. */
  'invalid_event',
  'undecodable',
  'key_field_empty',
  'invalid_consent_levels',
  'validation_failed',
  'too_large',
  'unknown_schema_id',
  'schema_id_missing',
  'event_count_used_up',
  'subject_links_exceeded',
  'not_an_input_stream',
  'scope_missing',
  'stream_disabled',
  'invalid_token',
  'invalid_credentials',
  'not_found',
  /** Another final refusal, by Weir or by something in between. */
  'refused',
  /** The producer's contract is invalid. */
  'invalid_contract',
] as const
export type RejectionCode = (typeof rejections)[number]

export type UndeliveredCode =
  /** `sendTimeoutMs` passed. */
  | 'timed_out'
  /** Closed before there was a response. */
  | 'closed'
  /** Too many events wait for room in the buffer; see `ready`. */
  | 'buffer_full'
  /** Refused now, but an earlier attempt of the same event had no certain outcome. */
  | 'refused_on_retry'

export type ReadErrorCode =
  /** The topic does not exist, or the credentials may not read it. Kafka does not say which. */
  | 'not_readable'
  /** No response from Kafka in time. */
  | 'unreachable'
  /** Kafka refused the login or a request. */
  | 'refused'
  /** Records that cannot be decompressed. */
  | 'unreadable'
  /** Ended by `close` or the signal. */
  | 'closed'

/** Final, and nothing was stored. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError'
  readonly code: RejectionCode
  /** The status of the HTTP response, if there was one. */
  readonly status: number | undefined

  constructor(code: RejectionCode, message: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

/** Temporary: the same event may be sent again. */
export class UndeliveredError extends Error {
  override readonly name = 'UndeliveredError'
  readonly code: UndeliveredCode
  /** True if it was sent at least once and its outcome is unknown. */
  readonly mayBeStored: boolean

  constructor(
    code: UndeliveredCode,
    message: string,
    more: { mayBeStored: boolean; cause?: unknown },
  ) {
    super(message, { cause: more.cause })
    this.code = code
    this.mayBeStored = more.mayBeStored
  }
}

/** The topic was not read to its end. */
export class ReadError extends Error {
  override readonly name = 'ReadError'
  readonly code: ReadErrorCode

  constructor(code: ReadErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

export type SendError = RejectedError | UndeliveredError

const known: ReadonlySet<string> = new Set(rejections)
const isRejectionCode = (code: string): code is RejectionCode => known.has(code)

/** From `Svc-Error` or the body of a response. Unknown codes become `refused`. */
export const rejectionCodeOf = (code: unknown): RejectionCode =>
  typeof code === 'string' && isRejectionCode(code) ? code : 'refused'
