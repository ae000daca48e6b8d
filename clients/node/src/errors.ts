// The errors of this package: three classes, each with a closed union of codes. No message contains a token or a
// secret.

/**
 * Codes of ingest and auth (docs/errors.md), and of this package: `invalid_event`, `refused` and `invalid_contract`.
 */
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
  /** Only for `loadContract`. */
  'invalid_api_key',
  'not_found',
  /** Another final refusal, by Weir or by a proxy. */
  'refused',
  /** The producer's contract is invalid. */
  'invalid_contract',
] as const
export type RejectionCode = (typeof rejections)[number]

export type UndeliveredCode =
  /** The event had no outcome within `sendTimeoutMs`. */
  | 'timed_out'
  /** The producer was closed before `send`, or before the event had an outcome. */
  | 'closed'
  /** The buffer is far above its bounds. Call `ready` before `send`. */
  | 'buffer_full'
  /** This attempt was refused, but an earlier attempt had no certain outcome. */
  | 'refused_on_retry'

export type ReadErrorCode =
  /** The topic does not exist, or the credentials may not read it. Kafka does not say which. */
  | 'not_readable'
  /** Kafka, auth or output was unreachable for too long. */
  | 'unreachable'
  /** Kafka, auth or output refused the login or a request. */
  | 'refused'
  /** Records cannot be decompressed, or an event to decrypt lacks its headers or consent levels. */
  | 'unreadable'
  /** Ended by `close` or the signal. */
  | 'closed'

/** A final refusal: the same request would be refused again. A rejected event is not stored. */
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

/** The event has no certain outcome, or was not sent. It may be sent again. */
export class UndeliveredError extends Error {
  override readonly name = 'UndeliveredError'
  readonly code: UndeliveredCode
  /** True if an attempt had no certain outcome, so that sending again could store the event twice. */
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

/** Something could not be read: a topic to its end, the keys of events, a contract or a token. */
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

/** Returns the code in `Svc-Error` or in a response's body, or `refused` if the code is unknown. */
export const rejectionCodeOf = (code: unknown): RejectionCode =>
  typeof code === 'string' && isRejectionCode(code) ? code : 'refused'
