import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import {
  invalid,
  oauthErrorOf,
  plainErrorOf,
  problemOf,
  Refusal,
  refusalOf,
} from '../src/errors.ts'

const pageOf = (code: string): string => `https://docs.test/errors/${code}`

test('an error of control state is answered with its status, code and sentence', () => {
  const refusal = refusalOf(new AppError('being_deleted', 'still there'))
  expect(problemOf(refusal, pageOf)).toEqual({
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

test('whatever nobody expected is 500 and says nothing of itself', () => {
  for (const error of [new Error('secret'), new AppError('never_heard_of', 'secret'), 'secret']) {
    const answer = problemOf(refusalOf(error), pageOf)
    expect(answer.status).toBe(500)
    expect(JSON.stringify(answer)).not.toContain('secret')
  }
})

test('every 422 has its problems, one sentence each', () => {
  expect(problemOf(invalid(['a', 'b']), pageOf).body).toMatchObject({ problems: ['a', 'b'] })
  const single = refusalOf(new AppError('invalid', 'a'))
  expect(problemOf(single, pageOf).body).toMatchObject({ status: 422, problems: ['a'] })
})

test('the three forms tell the same refusal to different readers', () => {
  const refusal = new Refusal('invalid_credentials', 'no')
  expect(plainErrorOf(refusal)).toEqual({
    status: 401,
    headers: {},
    body: { code: 'invalid_credentials', message: 'no' },
  })
  expect(oauthErrorOf(refusal, pageOf)).toEqual({
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="weir"' },
    body: {
      error: 'invalid_client',
      error_description: 'no',
      error_uri: 'https://docs.test/errors/invalid_credentials',
    },
  })
})
