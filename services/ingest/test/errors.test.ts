import { expect, test } from '@jest/globals'
import { ContractsError } from '@weir/contracts'
import { FieldcryptError } from '@weir/fieldcrypt'
import { KafkaError } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { createAnswerOf, refusal, refusalCodes, refusalOf } from '../src/errors.ts'

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

test('an event that is none of its contract is told in the sentence of packages/contracts', () => {
  const error = new ContractsError('contracts.undecodable', "Field 'url' is missing")
  expect(refusalOf(error)).toMatchObject({ code: 'undecodable', message: "Field 'url' is missing" })
})

test('a refusal of ours is answered as it is: nothing is made for it', () => {
  const refused = refusal('validation_failed', 'why')
  expect(refusalOf(refused)).toBe(refused)
})

test.each([
  [new KafkaError('kafka.record_too_large', 'inner'), 'too_large'],
  [new FieldcryptError('fieldcrypt.key_unavailable', 'inner'), 'unavailable'],
  [new FieldcryptError('fieldcrypt.record_unreadable', 'inner'), 'unavailable'],
])('%s is a refusal in the words of the table', (error, code) => {
  const refused = refusalOf(error)
  expect(refused.code).toBe(code)
  expect(answerOf(refused).body).not.toContain('inner')
})

test.each([
  new Error('the value is 42'),
  'the value is 42',
  undefined,
  new FieldcryptError('fieldcrypt.corrupt', 'the value is 42'),
  new KafkaError('kafka.not_found', 'the value is 42'),
  ...refusalCodes.map((code) => new AppError(code, 'the value is 42')),
])('what was not made for clients is internal and says nothing of itself, %s too', (error) => {
  const answer = answerOf(refusalOf(error))
  expect(answer).toMatchObject({ status: 500, headers: { 'svc-error': 'internal' } })
  expect(JSON.stringify(answer)).not.toContain('42')
})
