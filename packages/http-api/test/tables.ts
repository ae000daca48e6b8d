// A service's tables, as small as the package permits.
import { ownSentence } from '@weir/kit'
import { createErrors } from '../src/index.ts'
import type { ErrorRow } from '../src/index.ts'

export const table = {
  invalid_request: { status: 400, title: 'The request cannot be read' },
  not_json: { status: 400, title: 'The body is not JSON' },
  invalid_api_key: {
    status: 401,
    title: 'The API key is wrong',
    headers: { 'www-authenticate': 'Bearer' },
  },
  role_missing: { status: 403, title: 'The role is missing' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  sold_out: { status: 409, title: 'It is sold out', operations: ['buy', 'reserve'] },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_encoding: { status: 415, title: 'The encoding is not supported' },
  invalid: { status: 422, title: 'The input is invalid' },
  too_many_failures: { status: 429, title: 'Too many failed attempts' },
  internal: { status: 500, title: 'An internal error occurred' },
  unavailable: { status: 503, title: 'Unavailable', headers: { 'retry-after': '1' } },
} satisfies Record<string, ErrorRow>

export const errors = createErrors<keyof typeof table>(table, {
  'control-state.invalid_api_key': { code: 'invalid_api_key', sentence: ownSentence },
  'control-state.role_missing': { code: 'role_missing', sentence: ownSentence },
  'shop.empty': { code: 'sold_out', sentence: 'There is none left' },
})

export const pageOf = (code: string): string => `https://docs.test/errors/${code}`
