import { expect, test } from '@jest/globals'

import { guessedForm, namedForm } from '../src/index.ts'

const brace = 0x7b

test.each([
  ['application/json', 'avro/binary', 0x00, 'json'],
  ['application/x-avro-binary', 'application/json', brace, 'avro'],
  ['Application/X-Avro-Binary', undefined, brace, 'avro'],
  [undefined, 'application/json; charset=utf-8', 0x00, 'json'],
  [undefined, 'Application/JSON', 0x00, 'json'],
  [undefined, 'avro/binary', brace, 'avro'],
  [undefined, 'application/x-www-form-urlencoded', brace, 'json'],
  [undefined, undefined, brace, 'json'],
  [undefined, undefined, 0x20, 'avro'],
  [undefined, undefined, undefined, 'avro'],
  ['something/else', undefined, brace, 'json'],
  ['constructor', 'toString', 0x00, 'avro'],
  ['', '', brace, 'json'],
])('%s, %s, first byte %s: %s', (serializationType, contentType, firstByte, form) => {
  expect(namedForm({ serializationType, contentType }) ?? guessedForm(firstByte)).toBe(form)
})
