// All refusals of an event, and the only place that turns an error into a response (docs/wire-format.md Ingest). The
// body is one line for people. `Svc-Error` is the code for programs.
import type { ContractsErrorCode } from '@weir/contracts'
import type { AccessErrorCode } from '@weir/control-state'
import type { FieldcryptErrorCode } from '@weir/fieldcrypt'
import type { ProduceErrorCode } from '@weir/kafka'
import { AppError, helpLink, ownSentence, publicFormOf } from '@weir/kit'
import type { PageOf, PublicForm } from '@weir/kit'
import type { HttpResponse } from '@weir/http2'

const status = {
  not_found: 404,
  method_not_allowed: 405,
  invalid_token: 401,
  not_an_input_stream: 403,
  scope_missing: 403,
  stream_disabled: 403,
  event_count_used_up: 402,
  event_rate_exceeded: 429,
  subject_links_exceeded: 429,
  unsupported_encoding: 415,
  too_large: 413,
  schema_id_missing: 400,
  unknown_schema_id: 400,
  undecodable: 400,
  key_field_empty: 400,
  invalid_consent_levels: 400,
  validation_failed: 400,
  duplicate_header: 400,
  unavailable: 503,
  internal: 500,
} satisfies Record<string, number>

export type RefusalCode = keyof typeof status

/** Needed because Object.keys does not keep the type of the keys. */
const codesIn = (table: typeof status) => Object.keys(table) as RefusalCode[]
export const refusalCodes = codesIn(status)

/** Headers that help the client: when to retry, which methods are allowed. */
const headersOf: Partial<Record<RefusalCode, Record<string, string>>> = {
  invalid_token: { 'www-authenticate': 'Bearer error="invalid_token"' },
  method_not_allowed: { allow: 'POST' },
  unsupported_encoding: { 'accept-encoding': 'gzip, identity' },
  event_rate_exceeded: { 'retry-after': '1' },
  unavailable: { 'retry-after': '1' },
}

/** A refusal that clients may read. Of other errors, clients see only those in `publicForms`. */
class EventRefusal extends AppError<RefusalCode> {}

export const refusal = (
  code: RefusalCode,
  message: string,
  cause?: unknown,
): AppError<RefusalCode> => new EventRefusal(code, message, { cause })

type Form = PublicForm<RefusalCode>

/** The only errors of packages that clients get. */
const publicForms = {
  'contracts.undecodable': { code: 'undecodable', sentence: ownSentence },
  'control-state.invalid_token': { code: 'invalid_token', sentence: ownSentence },
  'kafka.unavailable': { code: 'unavailable', sentence: ownSentence },
  // The sentence says that the event may be stored. After all other refusals the event is certainly not stored.
  'kafka.outcome_unknown': { code: 'unavailable', sentence: ownSentence },
  'kafka.record_too_large': {
    code: 'too_large',
    sentence: 'The event is too large for Kafka once its fields are encrypted',
  },
  'fieldcrypt.key_unavailable': {
    code: 'unavailable',
    sentence: 'Some keys of the stream are not available yet; try again',
  },
  'fieldcrypt.record_unreadable': {
    code: 'unavailable',
    sentence: 'Some keys of the stream are not available yet; try again',
  },
} satisfies Record<ProduceErrorCode, Form> &
  Partial<Record<AccessErrorCode | ContractsErrorCode | FieldcryptErrorCode, Form>>

/** The response's code and message, with their cause. A plain object, because an Error is costly to create. */
export type Refused = {
  readonly code: RefusalCode
  readonly message: string
  readonly cause?: unknown
}

/** An error that clients may not see becomes `internal`, without details. */
export function refusalOf(cause: unknown): Refused {
  if (cause instanceof EventRefusal) return cause
  const told = publicFormOf<RefusalCode>(publicForms, cause)
  const { code, message } = told ?? internal
  return { code, message, cause }
}

const internal = { code: 'internal', message: 'An internal error occurred' } as const

export const statusOf = (code: RefusalCode): number => status[code]

export type AnswerOf = (refused: Refused) => HttpResponse

/** Caches the headers of each code, so that a flood of refusals is cheap. */
export function createAnswerOf(pageOf: PageOf): AnswerOf {
  const headers = new Map(
    refusalCodes.map((code) => [
      code,
      { 'svc-error': code, link: helpLink(pageOf(code)), ...headersOf[code] },
    ]),
  )
  return ({ code, message }) => ({
    status: status[code],
    headers: headers.get(code) ?? {},
    body: message,
  })
}
