// Every way in which a request for dead records, a retry, a preview or a lag is refused, and the one place that
// turns an error into an answer: RFC 9457 problem documents. Whatever isn't in the table is an internal error and
// says nothing about itself. Each code has a page of its own. Refusals of WebSockets are in admit.ts.
import { AppError } from '@weir/kit'
import type { PageOf } from '@weir/kit'
import type { Answer } from './api/http.ts'

const table = {
  invalid_request: { status: 400, title: 'The request cannot be read' },
  not_json: { status: 400, title: 'The body is not JSON' },
  invalid_api_key: { status: 401, title: 'The API key is missing, unknown or expired' },
  role_missing: { status: 403, title: 'The API key lacks the role that this needs' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  stream_disabled: { status: 409, title: 'The stream is disabled' },
  derived_elsewhere: { status: 409, title: 'Another deployment derives the stream' },
  level_not_served: { status: 409, title: 'This deployment may not decrypt that level' },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_encoding: { status: 415, title: 'The content encoding is not supported' },
  invalid: { status: 422, title: 'The input is invalid' },
  busy: { status: 429, title: 'Too many requests at once' },
  too_many_failures: { status: 429, title: 'Too many failed attempts' },
  internal: { status: 500, title: 'An internal error occurred' },
  unavailable: { status: 503, title: 'A dependency is unavailable' },
} satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof table
export const errorCodes = Object.keys(table)

const headersOf: Partial<Record<ErrorCode, Record<string, string>>> = {
  invalid_api_key: { 'www-authenticate': 'Bearer realm="weir"' },
  busy: { 'retry-after': '1' },
  unavailable: { 'retry-after': '1' },
}

type More = {
  readonly problems?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A refusal with what the code alone doesn't say: all problems of the input, or headers of its own. */
export class Refusal extends AppError<ErrorCode> {
  readonly problems: readonly string[] | undefined
  readonly headers: Readonly<Record<string, string>>
  constructor(code: ErrorCode, publicMessage: string, more: More = {}) {
    super(code, publicMessage, { cause: more.cause })
    this.problems = more.problems
    this.headers = { ...headersOf[code], ...more.headers }
  }
}

/** What others say in words of their own. */
const sameAs: Readonly<Record<string, ErrorCode>> = {
  may_not_take: 'stream_disabled',
  held_back: 'unavailable',
  hanging_transaction: 'unavailable',
  not_known_yet: 'unavailable',
  timeout: 'unavailable',
  refused: 'unavailable',
}
const sentences: Readonly<Record<string, string>> = {
  may_not_take: 'The stream was disabled or deleted meanwhile',
  held_back: 'Control state is stale, or the stream was disabled meanwhile; try again',
}

/** What a client may know of an error. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof AppError) {
    const code = sameAs[error.code] ?? (isErrorCode(error.code) ? error.code : undefined)
    const message = sentences[error.code] ?? error.message
    if (code !== undefined) return new Refusal(code, message, { cause: error })
  }
  return (
    refusalOfUnreadable(error) ??
    new Refusal('internal', 'An internal error occurred; see the log', { cause: error })
  )
}

/** Express and its body reader say by `status` that the request itself was at fault. */
function refusalOfUnreadable(cause: unknown): Refusal | undefined {
  if (!(cause instanceof Error) || !('status' in cause)) return undefined
  if (cause.status === 413)
    return new Refusal('too_large', 'The body may have 64 KiB at most', { cause })
  if (cause.status === 415)
    return new Refusal('unsupported_encoding', 'Send the body plain, or as gzip', { cause })
  if (cause.status !== 400) return undefined
  return new Refusal('invalid_request', 'The request cannot be read', { cause })
}

export const statusOfCode = (code: ErrorCode): number => table[code].status
export const statusOf = ({ code }: Refusal): number => statusOfCode(code)

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
  const own = { 'content-type': 'application/problem+json', 'svc-error': code }
  return { status, headers: { ...own, ...headers }, body }
}

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(table, code)
