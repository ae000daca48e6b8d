import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import { createAnswerOf, refusal, refusalOf } from '../src/errors.ts'

const answerOf = createAnswerOf((code) => `https://docs.test/errors/${code}`)

test.each([
  ['unavailable', 503, { 'retry-after': '1' }],
  ['event_rate_exceeded', 429, { 'retry-after': '1' }],
  ['invalid_token', 401, { 'www-authenticate': 'Bearer error="invalid_token"' }],
  ['method_not_allowed', 405, { allow: 'POST' }],
  ['unsupported_encoding', 415, { 'accept-encoding': 'gzip, identity' }],
  ['event_count_used_up', 402, {}],
] as const)('%s is %d, with what a client needs beside it', (code, status, headers) => {
  expect(answerOf(refusal(code, 'why'))).toEqual({
    status,
    headers: {
      'svc-error': code,
      link: `<https://docs.test/errors/${code}>; rel="help"`,
      ...headers,
    },
    body: 'why',
  })
})

test('a refusal of another package keeps its sentence', () => {
  const error = new AppError('undecodable', "Field 'url' is missing")
  expect(refusalOf(error)).toBe(error)
})

test.each([
  ['record_too_large', 'too_large'],
  ['key_unavailable', 'unavailable'],
  ['record_unreadable', 'unavailable'],
])('%s is a refusal of ours: %s', (code, refused) => {
  expect(refusalOf(new AppError(code, 'inner')).code).toBe(refused)
})

test.each([
  new Error('the value is 42'),
  new AppError('corrupt', 'the value is 42'),
  'the value is 42',
  undefined,
])('anything else is internal and says nothing of itself', (error) => {
  const answer = answerOf(refusalOf(error))
  expect(answer.status).toBe(500)
  expect(JSON.stringify(answer)).not.toContain('42')
})
