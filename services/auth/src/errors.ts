// Every way in which a request is refused, and the one place that turns an error into an answer:
// RFC 9457 problem documents for management, {code, message} for /auth and /refresh, RFC 6749's form
// for /oauth2/token. Whatever isn't in the table is an internal error and says nothing about itself. Each code
// has a page of its own, and every answer links to it.
import { AppError } from '@weir/kit'
import type { PageOf } from '@weir/kit'
import type { Answer } from './api/http.ts'

const table = {
  invalid_request: { status: 400, title: 'The request cannot be read' },
  not_json: { status: 400, title: 'The body is not JSON' },
  invalid_api_key: { status: 401, title: 'The API key is missing, unknown or expired' },
  invalid_platform_key: { status: 401, title: 'The platform key is missing or wrong' },
  role_missing: { status: 403, title: 'The API key lacks the role that this needs' },
  invalid_credentials: { status: 401, title: 'The credentials are wrong' },
  unsupported_grant_type: { status: 400, title: 'The grant type is not supported' },
  not_found: { status: 404, title: 'Not found' },
  no_such_subject: { status: 404, title: 'No event names this data subject' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  name_taken: { status: 409, title: 'The name is taken' },
  being_deleted: { status: 409, title: 'A stream of that name is still being deleted' },
  has_outputs: { status: 409, title: 'The stream has derived streams' },
  not_complete: { status: 409, title: 'The erasure is not complete yet' },
  no_data_subject_field: { status: 409, title: 'No contract names a data subject' },
  topic_exists: { status: 409, title: 'Kafka has a topic of that name' },
  last_owner_key: { status: 409, title: 'This is the last owner key' },
  too_many_api_keys: { status: 409, title: 'The account has too many API keys' },
  too_many_credentials: { status: 409, title: 'The stream has too many credentials' },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_encoding: { status: 415, title: 'The content encoding is not supported' },
  invalid: { status: 422, title: 'The input is invalid' },
  invalid_scope: { status: 422, title: 'The scope does not fit the stream' },
  too_many_failures: { status: 429, title: 'Too many failed attempts' },
  erasures_exceeded: { status: 429, title: 'The account has the maximum number of erased values' },
  internal: { status: 500, title: 'An internal error occurred' },
  refused: { status: 503, title: 'Kafka refused the change' },
  unavailable: { status: 503, title: 'A dependency is unavailable' },
} satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof table
export const errorCodes = Object.keys(table)

const headersOf: Partial<Record<ErrorCode, Record<string, string>>> = {
  invalid_api_key: { 'www-authenticate': 'Bearer realm="weir"' },
  invalid_platform_key: { 'www-authenticate': 'Bearer realm="weir"' },
  being_deleted: { 'retry-after': '5' },
  unavailable: { 'retry-after': '1' },
}

/** A refusal with what the code alone doesn't say: all problems of the input, or headers of its own. */
export class Refusal extends AppError<ErrorCode> {
  readonly problems: readonly string[] | undefined
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: ErrorCode,
    publicMessage: string,
    more: {
      problems?: readonly string[]
      headers?: Readonly<Record<string, string>>
      cause?: unknown
    } = {},
  ) {
    super(code, publicMessage, { cause: more.cause })
    this.problems = more.problems ?? (table[code].status === 422 ? [publicMessage] : undefined)
    this.headers = { ...headersOf[code], ...more.headers }
  }
}

/** More than anybody reads. */
const problemsMax = 100

export function invalid(all: readonly string[]): Refusal {
  const problems = all.slice(0, problemsMax)
  return new Refusal('invalid', problems.join('; '), { problems })
}

/** What a client may know of an error. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof AppError && isErrorCode(error.code))
    return new Refusal(error.code, error.message, { cause: error })
  const unreadable = refusalOfUnreadable(error)
  if (unreadable !== undefined) return unreadable
  return new Refusal('internal', 'An internal error occurred; see the log', {
    cause: error,
  })
}

/** Express and its body reader say by `status` that the request itself was at fault. */
function refusalOfUnreadable(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined
  if (error.status === 413)
    return new Refusal('too_large', `The body may have ${bytesMaxOf(error)} at most; send less`, {
      cause: error,
    })
  if (error.status === 415)
    return new Refusal('unsupported_encoding', 'Send the body plain, or as gzip', {
      cause: error,
    })
  if (error.status !== 400) return undefined
  const message =
    error instanceof URIError
      ? 'The path contains a percent sign that is not part of an encoded character'
      : 'The request cannot be read'
  return new Refusal('invalid_request', message, { cause: error })
}

/** The body reader tells its limit with the error. */
function bytesMaxOf(error: Error): string {
  const bytes = 'limit' in error && typeof error.limit === 'number' ? error.limit : mebibyte
  return bytes < mebibyte ? `${bytes / 1_024} KiB` : `${bytes / mebibyte} MiB`
}

const mebibyte = 1_048_576

export const statusOfCode = (code: ErrorCode): number => table[code].status
export const statusOf = ({ code }: Refusal): number => statusOfCode(code)

// --- the three forms ---

export function problemOf(refusal: Refusal, pageOf: PageOf): Answer {
  const { code, message, problems, headers } = refusal
  const { status, title } = table[code]
  const body = {
    type: pageOf(code),
    title,
    status,
    detail: message,
    code,
    ...(problems === undefined ? {} : { problems }),
  }
  return { status, headers: { 'content-type': 'application/problem+json', ...headers }, body }
}

/** What drivers of /auth and /refresh read. */
export function plainErrorOf(refusal: Refusal): Answer {
  const { code, message, headers } = refusal
  return { status: statusOf(refusal), headers, body: { code, message } }
}

/** RFC 6749 5.2. */
export function oauthErrorOf(refusal: Refusal, pageOf: PageOf): Answer {
  const { code, message, headers } = refusal
  const status = statusOf(refusal)
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="weir"' } : {}
  const body = {
    error: oauthErrors[code] ?? serverErrorOf(status),
    error_description: message,
    error_uri: pageOf(code),
  }
  return { status, headers: { ...headers, ...challenge }, body }
}

const oauthErrors: Partial<Record<ErrorCode, string>> = {
  invalid_credentials: 'invalid_client',
  too_many_failures: 'invalid_client',
  unsupported_grant_type: 'unsupported_grant_type',
  unavailable: 'temporarily_unavailable',
}

const serverErrorOf = (status: number): string =>
  status >= 500 ? 'server_error' : 'invalid_request'

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(table, code)
}
