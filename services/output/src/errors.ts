// The public error codes of output's HTTP API, and the public forms of packages' errors. Each code has a page of its
// own. websocket/refuse-upgrade.ts has the refusals of WebSockets.
import type { AccessErrorCode } from '@weir/control-state'
import { createErrors, Refusal } from '@weir/http-api'
import type { ErrorRow, Refuse } from '@weir/http-api'
import type { KafkaErrorCode } from '@weir/kafka'
import { ownSentence } from '@weir/kit'
import type { KitErrorCode, PublicForm } from '@weir/kit'
import type { DeriveErrorCode } from './derive/errors.ts'

export const errorTable = {
  invalid_request: { status: 400, title: 'The request cannot be read' },
  not_json: { status: 400, title: 'The body is not JSON' },
  invalid_api_key: {
    status: 401,
    title: 'The API key is missing, unknown or expired',
    headers: { 'www-authenticate': 'Bearer realm="weir"' },
  },
  invalid_token: {
    status: 401,
    title: 'The id token is not valid',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    operations: ['giveKeys'],
  },
  invalid_access_token: {
    status: 401,
    title: 'The access token is not valid',
    headers: { 'www-authenticate': 'Bearer realm="weir"' },
    operations: ['downloadEvents'],
  },
  role_missing: { status: 403, title: 'The API key lacks the required role' },
  not_an_output: {
    status: 403,
    title: 'The token is of an input stream',
    operations: ['giveKeys'],
  },
  scope_missing: {
    status: 403,
    title: 'The credentials lack the scope',
    operations: ['giveKeys'],
  },
  tls_required: { status: 403, title: 'TLS is required', operations: ['giveKeys'] },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  stream_disabled: {
    status: 409,
    title: 'The stream is disabled',
    operations: ['retryDead', 'giveKeys'],
  },
  decrypted_already: {
    status: 409,
    title: 'The output is decrypted by Weir',
    operations: ['giveKeys'],
  },
  derived_elsewhere: {
    status: 409,
    title: 'Another deployment derives the stream',
    operations: ['retryDead', 'giveKeys'],
  },
  level_not_served: {
    status: 409,
    title: 'This deployment may not decrypt that level',
    operations: ['preview', 'retryDead', 'giveKeys'],
  },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_encoding: { status: 415, title: 'The content encoding is not supported' },
  invalid: { status: 422, title: 'The input is invalid' },
  busy: {
    status: 429,
    title: 'Too many requests at the same time',
    headers: { 'retry-after': '1' },
    operations: ['preview', 'listDead', 'retryDead', 'showLag', 'downloadEvents', 'giveKeys'],
  },
  too_many_failures: { status: 429, title: 'Too many failed attempts' },
  internal: { status: 500, title: 'An internal error occurred' },
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

/** The only errors of packages and of derivation that clients see. */
const publicForms = {
  'control-state.not_found': { code: 'not_found', sentence: ownSentence },
  'control-state.invalid_api_key': { code: 'invalid_api_key', sentence: ownSentence },
  'control-state.role_missing': { code: 'role_missing', sentence: ownSentence },
  'control-state.unavailable': { code: 'unavailable', sentence: ownSentence },
  'control-state.invalid_token': { code: 'invalid_token', sentence: ownSentence },
  'control-state.name_taken': nothing,
  'control-state.being_deleted': nothing,
  'derive.not_known_yet': { code: 'unavailable', sentence: ownSentence },
  'kafka.hanging_transaction': { code: 'unavailable', sentence: ownSentence },
  'kafka.refused': { code: 'unavailable', sentence: ownSentence },
  'kafka.unavailable': { code: 'unavailable', sentence: ownSentence },
  'kit.timeout': { code: 'unavailable', sentence: ownSentence },
} satisfies Record<AccessErrorCode, Form> &
  Partial<Record<DeriveErrorCode | KafkaErrorCode | KitErrorCode, Form>>

export const errors = createErrors<ErrorCode>(errorTable, publicForms)
