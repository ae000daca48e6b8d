// Which errors the clients of output see.
import { expect, test } from '@jest/globals'
import { KafkaError } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { DeriveError } from '../src/derive/errors.ts'
import { errors, errorTable } from '../src/errors.ts'

const { problemOf, refusalOf } = errors
const answerTo = (error: unknown) => problemOf(refusalOf(error), (code) => `/docs/errors/${code}`)

test.each([
  new Error('secret'),
  new KafkaError('kafka.not_found', 'secret'),
  new KafkaError('kafka.too_large', 'secret'),
  new DeriveError('derive.corrupt', 'secret'),
  ...Object.keys(errorTable).map((code) => new AppError(code, 'secret')),
])('what was not made for clients is 500 and says nothing of itself, %s too', (error) => {
  const answer = answerTo(error)
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } })
  expect(JSON.stringify(answer)).not.toContain('secret')
})

test('what was made for clients is told in its own sentence', () => {
  const answer = answerTo(new KafkaError('kafka.hanging_transaction', 'another program is open'))
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(JSON.stringify(answer)).toContain('another program is open')
})
