import { expect, test } from '@jest/globals'

import { compilePlain } from '../../src/avro/plain.ts'
import type { AvroType } from '../../src/avro/types.ts'

const long: AvroType = { kind: 'long' }
const text: AvroType = { kind: 'string' }
const nothing: AvroType = { kind: 'null' }

test.each<[string, AvroType, unknown, string]>([
  ['a union of null', { kind: 'union', branches: [nothing, text] }, 'a', '"a"'],
  ['its null', { kind: 'union', branches: [text, nothing] }, null, 'null'],
  ['another union', { kind: 'union', branches: [text, long] }, { branch: 1, value: 5 }, '5'],
  ['a long', long, 2 ** 53 - 1, '9007199254740991'],
  ['bytes', { kind: 'bytes' }, Buffer.from([0x00, 0xff]), '"\\u0000ÿ"'],
  ['a fixed', { kind: 'fixed', name: 'F', size: 1 }, Buffer.from([0x61]), '"a"'],
  ['a number that JSON lacks', { kind: 'double' }, Number.NaN, '"NaN"'],
  ['one more', { kind: 'float' }, -Infinity, '"-Infinity"'],
])('%s', (_, type, value, json) => {
  expect(JSON.stringify(compilePlain(type)(value))).toBe(json)
})

test('unions inside of lists and maps are flattened too', () => {
  const either: AvroType = { kind: 'union', branches: [text, long] }
  const type: AvroType = { kind: 'array', items: { kind: 'map', values: either } }
  const value = [{ a: { branch: 0, value: 'x' } }, { b: { branch: 1, value: 1 } }]
  expect(JSON.stringify(compilePlain(type)(value))).toBe('[{"a":"x"},{"b":1}]')
})
