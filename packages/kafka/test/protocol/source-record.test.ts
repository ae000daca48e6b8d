import { expect, test } from '@jest/globals'

import { toSourceRecord } from '../../src/protocol/source-record.ts'

const headersOf = (fetched: object) =>
  toSourceRecord(0, {
    offset: '7',
    timestamp: '1',
    key: null,
    value: null,
    headers: { ...fetched },
  }).headers

test('of a header that comes several times the first one counts', () => {
  expect(headersOf({ a: [Buffer.from('1'), Buffer.from('2')], b: 'text' })).toEqual({
    a: Buffer.from('1'),
    b: Buffer.from('text'),
  })
})

test('a header without a value is left out, and one under a name of every object is read', () => {
  // kafkajs finds the inherited function under that name, and takes it for a value that came before.
  const headers = headersOf({ none: null, toString: [toSourceRecord, Buffer.from('x')] })
  expect(Object.keys(headers)).toEqual(['toString'])
  expect(headers['toString']).toEqual(Buffer.from('x'))
})

test('a header named __proto__ changes nothing about the others', () => {
  const headers = headersOf(JSON.parse('{"__proto__":"x","a":"y"}'))
  expect(headers).toEqual({ a: Buffer.from('y') })
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
})
