import { expect, test } from '@jest/globals'
import { credentialIdsOf, newCredentials } from '../../src/api/streams.ts'
import { streamNameOf, streamRecordsOf } from '../../src/api/stream-records.ts'

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
  expect(credentialIdsOf({ credentials })).toEqual(['c'])
  expect(credentialIdsOf({ credentials: [{ clientId: 'a' }, { clientId: 'b' }] })).toEqual([
    'a',
    'b',
  ])
  expect(credentialIdsOf({})).toEqual([])
  expect([streamNameOf({ name: 'a' }), streamNameOf({ ref: { name: 'b' } })]).toEqual(['a', 'b'])
})

test('a list answer is the list, or the object that holds it', () => {
  expect(streamRecordsOf([{ a: 1 }, 'x'])).toEqual([{ a: 1 }])
  expect(streamRecordsOf({ streams: [{ a: 1 }] })).toEqual([{ a: 1 }])
  expect(streamRecordsOf(undefined)).toEqual([])
})
