import { expect, test } from '@jest/globals'
import { ControlStateError } from '@weir/control-state'
import { invalid } from '@weir/http-api'
import { KafkaError } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { RegistryError } from '@weir/schema-registry'
import { errors, errorTable, oauthErrorOf, plainErrorOf, refusal } from '../src/errors.ts'

const { problemOf, refusalOf } = errors
const pageOf = (code: string): string => `https://docs.test/errors/${code}`

test('an error of control state is answered with its public code, status and sentence', () => {
  const error = new ControlStateError('control-state.being_deleted', 'still there')
  expect(problemOf(refusalOf(error), pageOf)).toEqual({
    status: 409,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '5' },
    body: {
      type: 'https://docs.test/errors/being_deleted',
      title: 'A stream of that name is still being deleted',
      status: 409,
      detail: 'still there',
      code: 'being_deleted',
    },
  })
})

test.each([
  new Error('secret'),
  'secret',
  new AppError('never_heard_of', 'secret'),
  new KafkaError('kafka.not_found', 'secret'),
  new RegistryError('registry.not_found', 'secret'),
  ...Object.keys(errorTable).map((code) => new AppError(code, 'secret')),
])('what was not made for clients is 500 and says nothing of itself, %s too', (error) => {
  const answer = problemOf(refusalOf(error), pageOf)
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } })
  expect(JSON.stringify(answer)).not.toContain('secret')
})

test('every 422 has its problems, one sentence each', () => {
  expect(problemOf(invalid(['a', 'b']), pageOf).body).toMatchObject({ problems: ['a', 'b'] })
  const single = refusal('invalid', 'a')
  expect(problemOf(single, pageOf).body).toMatchObject({ status: 422, problems: ['a'] })
})

test('the three forms tell the same refusal to different readers', () => {
  const refused = refusal('invalid_credentials', 'no')
  expect(plainErrorOf(refused)).toEqual({
    status: 401,
    headers: {},
    body: { code: 'invalid_credentials', message: 'no' },
  })
  expect(oauthErrorOf(refused, pageOf)).toEqual({
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="weir"' },
    body: {
      error: 'invalid_client',
      error_description: 'no',
      error_uri: 'https://docs.test/errors/invalid_credentials',
    },
  })
})
