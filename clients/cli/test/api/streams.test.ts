import { expect, test } from '@jest/globals'
import { clientIdsOf, nameOf, newCredentials, recordsOf } from '../../src/api/streams.ts'

const credentials = { clientId: 'c', clientSecret: 's' }

test.each([
  ['credentials alone', credentials],
  ["the first shape's object", { name: 'a', credentials }],
  ["the second shape's list", { ref: { name: 'a' }, credentials: [credentials] }],
  ['the new ones among old ones', { credentials: [{ clientId: 'old' }, credentials] }],
])('new credentials are found in %s', (_what, answer) => {
  expect(newCredentials(answer)).toEqual(credentials)
})

test('credentials without a secret are not new ones', () => {
  expect(newCredentials({ credentials: [{ clientId: 'c' }] })).toBeUndefined()
})

test('client ids and names are read from either shape', () => {
  expect(clientIdsOf({ credentials })).toEqual(['c'])
  expect(clientIdsOf({ credentials: [{ clientId: 'a' }, { clientId: 'b' }] })).toEqual(['a', 'b'])
  expect(clientIdsOf({})).toEqual([])
  expect([nameOf({ name: 'a' }), nameOf({ ref: { name: 'b' } })]).toEqual(['a', 'b'])
})

test('a list answer is the list, or the object that holds it', () => {
  expect(recordsOf([{ a: 1 }, 'x'])).toEqual([{ a: 1 }])
  expect(recordsOf({ streams: [{ a: 1 }] })).toEqual([{ a: 1 }])
  expect(recordsOf(undefined)).toEqual([])
})
