import { expect, test } from '@jest/globals'
import {
  countJsonMembers,
  jsonDepthMax,
  listItemsMax,
  longListIn,
} from '../../src/http/json-scan.ts'

const count = (text: string): number | undefined => countJsonMembers(Buffer.from(text))

test('members of all objects are counted, and no colon within a text is one', () => {
  expect(count('{}')).toBe(0)
  expect(count('{"a": {"b": 1}, "c": [{"a": 2}, "x:y"]}')).toBe(4)
  expect(count(String.raw`{"a\":\\": ":\"{[:"}`)).toBe(1)
})

test('what is nested deeper than may be has no number', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  expect(count(nested(jsonDepthMax))).toBe(0)
  expect(count(nested(jsonDepthMax + 1))).toBeUndefined()
  expect(count('{"a":'.repeat(jsonDepthMax + 1))).toBeUndefined()
})

test('neither many one after the other nor brackets in a text are nested', () => {
  expect(count(`[${'[],{},'.repeat(1_000)}1]`)).toBe(0)
  expect(count(`"${'['.repeat(1_000)}"`)).toBe(0)
})

test('text that ends anywhere is no trouble', () => {
  const text = String.raw`{"a":["b\"",{"c":1}]}`
  for (let end = 0; end <= text.length; end += 1)
    expect(count(text.slice(0, end))).toBeLessThanOrEqual(2)
})

test('a list that is too long is named, and what is no object has none', () => {
  const list = Array.from({ length: listItemsMax }, () => 1)
  expect(longListIn({ a: 1, b: list })).toBeUndefined()
  expect(longListIn({ a: list, b: [...list, 1] })).toBe('b')
  expect(longListIn(list)).toBeUndefined()
  expect(longListIn([...list, 1])).toBe('The body')
  expect([null, 'a', 1, undefined].map(longListIn)).toEqual(Array.from({ length: 4 }))
})
