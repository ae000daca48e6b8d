// Every way in which a call of this package fails, as two classes with a closed union of codes each. The difference that
// matters to a caller: what was rejected is certainly not stored, and would be rejected again; what was not delivered
// may be sent again, and `mayBeStored` says whether that could store it twice. No message holds a token or a secret.

/** Codes of ingest and auth (docs/errors.md), and three of our own. */
const rejections = [
  /** Found here, before anything was sent: the event doesn't fit the contract's schema. */
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
  /** Another refusal for good, of Weir or of something between it and us. */
  'refused',
  /** The contract that a producer was made with isn't one. */
  'invalid_contract',
] as const
export type RejectionCode = (typeof rejections)[number]

export type UndeliveredCode =
  /** `sendTimeoutMs` passed. */
  | 'timed_out'
  /** Closed before there was an answer. */
  | 'closed'
  /** Far more waits than the buffer may hold; see `ready`. */
  | 'buffer_full'
  /** Refused now, but an earlier try of the same event had no certain outcome. */
  | 'refused_on_retry'

/** Final, and nothing was stored. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError'
  readonly code: RejectionCode
  /** Of the HTTP answer, where there was one. */
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
  /** Sent once at least, and nobody knows what became of it. */
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

export type SendError = RejectedError | UndeliveredError

const known: ReadonlySet<string> = new Set(rejections)
const isRejectionCode = (code: string): code is RejectionCode => known.has(code)

/** What a service says in `Svc-Error` or in its body; one that we don't know is `refused`. */
export const rejectionCodeOf = (code: unknown): RejectionCode =>
  typeof code === 'string' && isRejectionCode(code) ? code : 'refused'
