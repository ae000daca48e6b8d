import { expect, test } from '@jest/globals'
import { jsonFault } from '../../src/input/json-fault.ts'

test.each([
  ['{\n  "id": "x",\n  "rule": nope\n}', "line 3, column 12: Unexpected token 'o'"],
  ['{"a": 1,\n "b": [1,]}', "line 2, column 10: Unexpected token ']'"],
  ['{"a": 1,\n}', 'line 2, column 1: Expected double-quoted property name'],
  ['{"a": 1 "b": 2}', "line 1, column 9: Expected ',' or '}' after property value"],
  ['{"a": "secret\n"}', 'line 1, column 14: Bad control character in string literal'],
  ['{"a": {\n', "line 2, column 1: Expected property name or '}'"],
  ['', 'line 1, column 1: Unexpected end of JSON input'],
  ['{"a": \u001b}', String.raw`line 1, column 7: Unexpected token '\u001b'`],
])('%j is no JSON, and the place and the reason are said', (text, fault) => {
  expect(jsonFault(text)).toBe(fault)
})

test('JSON has no fault, and lines may be counted from another one', () => {
  expect(jsonFault('{"a": [1, "two"]}')).toBeUndefined()
  expect(jsonFault('{\n"a" 1}', 10)).toBe("line 11, column 5: Expected ':' after property name")
})
