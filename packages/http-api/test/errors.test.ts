// What a client learns about an error.
import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import { invalid, Refusal } from '../src/index.ts'
import { errors, pageOf, table } from './tables.ts'

const { refusalOf, problemOf, headersOf, statusOf, codesOf } = errors

test('a refusal is told as a problem document with the page, title and status of its code', () => {
  const refused = new Refusal('sold_out', 'The last one went at noon')
  expect(refusalOf(refused)).toBe(refused)
  expect(problemOf(refused, pageOf)).toEqual({
    status: 409,
    headers: { 'content-type': 'application/problem+json' },
    body: {
      type: 'https://docs.test/errors/sold_out',
      title: 'It is sold out',
      status: 409,
      detail: 'The last one went at noon',
      code: 'sold_out',
    },
  })
})

test('an error of a package is told in the words of the public forms, with its cause for the log', () => {
  const cause = new AppError('shop.empty', 'shelf 7 is empty')
  const refused = refusalOf(cause)
  expect(refused).toMatchObject({ code: 'sold_out', message: 'There is none left', cause })
})

test.each([
  new Error('secret'),
  'secret',
  undefined,
  new AppError('shop.on_fire', 'secret'),
  new Refusal('never_heard_of', 'secret'),
  ...Object.keys(table).map((code) => new AppError(code, 'secret')),
])('what stands in neither table is internal, and says nothing of itself: %s', (error) => {
  const answer = problemOf(refusalOf(error), pageOf)
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } })
  expect(JSON.stringify(answer)).not.toContain('secret')
})

test('headers of the code and of the refusal are both sent, and the refusal has the last word', () => {
  expect(headersOf(new Refusal('unavailable', 'later'))).toEqual({ 'retry-after': '1' })
  const headers = { 'retry-after': '7', allow: 'GET' }
  expect(headersOf(new Refusal('unavailable', 'later', { headers }))).toEqual(headers)
})

test('invalid input is told problem by problem, and no more of them than anybody reads', () => {
  const all = Array.from({ length: 250 }, (_, nth) => `member ${nth} is not known`)
  expect(problemOf(invalid(all), pageOf).body).toMatchObject({ problems: all.slice(0, 100) })
  const one = new Refusal('invalid', 'only this')
  expect(problemOf(one, pageOf).body).toMatchObject({ problems: ['only this'] })
})

test('an operation has the codes whose rows name it', () => {
  expect(codesOf('buy')).toEqual(['sold_out'])
  expect(codesOf('look')).toEqual([])
  expect(statusOf({ code: 'sold_out' })).toBe(409)
})
