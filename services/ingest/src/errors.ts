// Every way in which an event is refused, and the one place that turns an error into an answer
// (docs/wire-format.md Ingest). The body is one line for people, `Svc-Error` the code for machines.
import { AppError, hasCode, helpLink } from '@weir/kit'
import type { PageOf } from '@weir/kit'
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

/** Object.keys forgets that the keys were codes. */
const codesIn = (table: typeof status) => Object.keys(table) as RefusalCode[]
export const refusalCodes = codesIn(status)

/** What a client may need besides the line: when to come back, which methods there are. */
const headersOf: Partial<Record<RefusalCode, Record<string, string>>> = {
  invalid_token: { 'www-authenticate': 'Bearer error="invalid_token"' },
  method_not_allowed: { allow: 'POST' },
  unsupported_encoding: { 'accept-encoding': 'gzip, identity' },
  event_rate_exceeded: { 'retry-after': '1' },
  unavailable: { 'retry-after': '1' },
}

export const refusal = (
  code: RefusalCode,
  message: string,
  cause?: unknown,
): AppError<RefusalCode> => new AppError(code, message, { cause })

/** What no refusal stands for is an internal error, and says nothing about itself. */
export function refusalOf(error: unknown): AppError<RefusalCode> {
  if (isRefusal(error)) return error
  if (hasCode(error, 'record_too_large'))
    return refusal(
      'too_large',
      'The event is too large for Kafka once its fields are encrypted',
      error,
    )
  // Its message says so: without that an event that was refused is not stored.
  if (hasCode(error, 'outcome_unknown')) return refusal('unavailable', error.message, error)
  if (hasCode(error, 'key_unavailable', 'record_unreadable'))
    return refusal('unavailable', 'Some keys of the stream are not available yet; try again', error)
  return refusal('internal', 'An internal error occurred', error)
}

export const statusOf = (code: RefusalCode): number => status[code]

export type AnswerOf = (refused: AppError<RefusalCode>) => HttpResponse

/** What each code brings is made once: a flood of refusals costs as little as can be. */
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

function isRefusal(error: unknown): error is AppError<RefusalCode> {
  return error instanceof AppError && Object.hasOwn(status, error.code)
}
