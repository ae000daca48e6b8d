// All refusals: auth's public codes, and the public forms of the packages' errors. A code lists the `operations` that
// return it, unless tell.ts adds the code to operations by a rule. Management responds with problem documents, /auth
// and /refresh with {code, message}, /oauth2/token in the form of RFC 6749.
import type { ContractsErrorCode } from '@weir/contracts'
import type { AccessErrorCode } from '@weir/control-state'
import { createErrors, Refusal } from '@weir/http-api'
import type { RouteAnswer, ErrorRow, Refuse } from '@weir/http-api'
import type { KafkaErrorCode } from '@weir/kafka'
import { ownSentence } from '@weir/kit'
import type { PageOf, PublicForm } from '@weir/kit'
import type { AnswerNamed } from './api/answers/answers.ts'

const apiKeyWanted = { 'www-authenticate': 'Bearer realm="weir"' }

export const errorTable = {
  invalid_request: { status: 400, title: 'The request cannot be read' },
  not_json: { status: 400, title: 'The body is not JSON' },
  invalid_api_key: {
    status: 401,
    title: 'The API key is missing, unknown or expired',
    headers: apiKeyWanted,
  },
  invalid_platform_key: {
    status: 401,
    title: 'The platform key is missing or wrong',
    headers: apiKeyWanted,
  },
  role_missing: { status: 403, title: 'The API key lacks the required role' },
  invalid_credentials: { status: 401, title: 'The credentials are wrong' },
  unsupported_grant_type: {
    status: 400,
    title: 'The grant type is not supported',
    operations: ['grantToken'],
  },
  not_found: { status: 404, title: 'Not found', operations: ['searchPeople'] },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  name_taken: {
    status: 409,
    title: 'The name is taken',
    operations: ['createAccount', 'createContract', 'createStream', 'createOutput'],
  },
  being_deleted: {
    status: 409,
    title: 'A stream of that name is still being deleted',
    headers: { 'retry-after': '5' },
    operations: ['createStream', 'createOutput'],
  },
  has_outputs: {
    status: 409,
    title: 'The stream has derived streams',
    operations: ['deleteStream'],
  },
  would_lose_events: {
    status: 409,
    title: 'The input stream no longer has all events of the output',
    operations: ['rebuildOutput'],
  },
  not_complete: {
    status: 409,
    title: 'The erasure is not complete yet',
    operations: ['showReceipt'],
  },
  none_found: {
    status: 409,
    title: 'Nothing was found of this person',
    operations: ['createErasure'],
  },
  not_searched: {
    status: 409,
    title: 'The stream was not searched',
    operations: ['createErasure'],
  },
  no_data_subject_field: {
    status: 409,
    title: 'No contract has a data subject field',
    operations: ['createErasure', 'lookUpSubject'],
  },
  topic_exists: {
    status: 409,
    title: 'Kafka already has a topic of that name',
    operations: ['createStream', 'createOutput'],
  },
  last_owner_key: {
    status: 409,
    title: 'This is the last owner key',
    operations: ['deleteApiKey'],
  },
  too_many_api_keys: {
    status: 409,
    title: 'The account has too many API keys',
    operations: ['createOwnerKey', 'createApiKey'],
  },
  too_many_credentials: {
    status: 409,
    title: 'The stream has too many credentials',
    operations: ['createStreamCredentials', 'createOutputCredentials'],
  },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_encoding: { status: 415, title: 'The content encoding is not supported' },
  invalid: { status: 422, title: 'The input is invalid' },
  invalid_scope: {
    status: 422,
    title: 'The scope does not fit the stream',
    operations: ['createStreamCredentials', 'createOutputCredentials'],
  },
  busy: {
    status: 429,
    title: 'Too many requests at the same time',
    headers: { 'retry-after': '1' },
    operations: ['verifyReceipt'],
  },
  too_many_failures: { status: 429, title: 'Too many failed attempts' },
  quota_exceeded: {
    status: 429,
    title: 'A quota of the account is used up',
    headers: { 'retry-after': '10' },
  },
  erasures_exceeded: {
    status: 429,
    title: 'The account has the maximum number of erased values',
    operations: ['createErasure'],
  },
  internal: { status: 500, title: 'An internal error occurred' },
  refused: { status: 503, title: 'Kafka refused the change' },
  unavailable: {
    status: 503,
    title: 'A dependency is unavailable',
    headers: { 'retry-after': '1' },
  },
} satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

export const refusal: Refuse<ErrorCode> = (code, publicMessage, more) =>
  new Refusal(code, publicMessage, more)

type Form = PublicForm<ErrorCode>
const nothing = { code: 'internal', sentence: 'An internal error occurred; see the log' } as const

/** Clients get these errors of packages. All other errors become `internal`. */
const publicForms = {
  'control-state.not_found': { code: 'not_found', sentence: ownSentence },
  'control-state.name_taken': { code: 'name_taken', sentence: ownSentence },
  'control-state.being_deleted': { code: 'being_deleted', sentence: ownSentence },
  'control-state.invalid_api_key': { code: 'invalid_api_key', sentence: ownSentence },
  'control-state.role_missing': { code: 'role_missing', sentence: ownSentence },
  'control-state.unavailable': { code: 'unavailable', sentence: ownSentence },
  'control-state.invalid_token': nothing,
  'contracts.unavailable': { code: 'unavailable', sentence: ownSentence },
  'kafka.unavailable': { code: 'unavailable', sentence: ownSentence },
  'kafka.refused': { code: 'refused', sentence: ownSentence },
} satisfies Record<AccessErrorCode, Form> &
  Partial<Record<ContractsErrorCode | KafkaErrorCode, Form>>

export const errors = createErrors<ErrorCode>(errorTable, publicForms)
const { headersOf, statusOf } = errors

/** Returns the error response of /auth and /refresh. */
export function plainErrorOf(refused: Refusal): RouteAnswer<AnswerNamed<'Refusal'>> {
  const { code, message } = refused
  return { status: statusOf(refused), headers: headersOf(refused), body: { code, message } }
}

/** Returns the error response of /oauth2/token (RFC 6749 5.2). */
export function oauthErrorOf(refused: Refusal, pageOf: PageOf): RouteAnswer {
  const { code, message } = refused
  const status = statusOf(refused)
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="weir"' } : {}
  const body: AnswerNamed<'OAuthError'> = {
    error: oauthErrors.get(code) ?? (status >= 500 ? 'server_error' : 'invalid_request'),
    error_description: message,
    error_uri: pageOf(code),
  }
  return { status, headers: { ...headersOf(refused), ...challenge }, body }
}

const oauthErrors: ReadonlyMap<string, string> = new Map<ErrorCode, string>([
  ['invalid_credentials', 'invalid_client'],
  ['too_many_failures', 'invalid_client'],
  ['unsupported_grant_type', 'unsupported_grant_type'],
  ['unavailable', 'temporarily_unavailable'],
])
