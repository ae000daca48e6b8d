import { describe, expect, test } from '@jest/globals'

import {
  baseEvent,
  bodyWith,
  compile,
  definitionWith,
  eventOf,
  exampleContract,
} from './examples.ts'
import type { Json } from './examples.ts'

const urlPattern = '^(https?|ftp|file)://[-a-zA-Z0-9+&@#/%?=~_|!:,.;]*[-a-zA-Z0-9+&@#/%=~_|]'

describe('the sentence of a rejected event (spec Errors)', () => {
  test('a short schema id: the first form, for both validations of clickstream', async () => {
    const contract = await exampleContract('clickstream')
    const sentenceFor = (change: Json): string | undefined =>
      contract.firstViolation(contract.readJson(bodyWith({ ...eventOf('clickstream'), ...change })))

    expect(sentenceFor({ customer: { id: '' } })).toBe(
      `regex clickstream/customer/id '' doesnt match '^.+$'`,
    )
    expect(sentenceFor({ url: 'not a url' })).toBe(
      `regex clickstream/url 'not a url' doesnt match '${urlPattern}'`,
    )
    expect(sentenceFor({ url: 'https://example.com/ and more' })).toBeUndefined()
  })

  test('<owner>/<name>/<version>: the second form', async () => {
    const contract = await compile(
      definitionWith({
        id: 'demo/event/1.0.0',
        validations: [{ field: 'key', type: 'regex', value: '^[0-9]+$' }],
      }),
    )
    const event = contract.readJson(bodyWith({ ...baseEvent, key: "it's" }))
    expect(contract.firstViolation(event)).toBe(
      "Field: 'key' in event with schema: 'demo/event/1.0.0' with value: 'it's' doesn't match regex: '^[0-9]+$'",
    )
  })

  test('a value with line ends stands in it as it is', async () => {
    const contract = await compile(
      definitionWith({ validations: [{ field: 'key', type: 'regex', value: '^a$' }] }),
    )
    const event = contract.readJson(bodyWith({ ...baseEvent, key: 'a\nb' }))
    expect(contract.firstViolation(event)).toBe("regex test/key 'a\nb' doesnt match '^a$'")
  })
})

describe('what a validation looks at', () => {
  const fields = [
    { name: 'text', type: ['null', 'string'] },
    { name: 'list', type: { type: 'array', items: ['null', 'string'] } },
    { name: 'maybe', type: [{ type: 'array', items: 'string' }, 'null'] },
  ]
  const sent = { ...baseEvent, text: null, list: [], maybe: null }

  test('null passes, alone and in lists; each element of a list counts; the contract gives the order', async () => {
    const contract = await compile(
      definitionWith({
        fields,
        validations: [
          { field: 'maybe', type: 'regex', value: 'm' },
          { field: 'list', type: 'regex', value: 'l' },
          { field: 'text', type: 'regex', value: 't' },
        ],
      }),
    )
    const sentenceFor = (change: Json): string | undefined =>
      contract.firstViolation(contract.readJson(bodyWith({ ...sent, ...change })))

    expect(sentenceFor({})).toBeUndefined()
    expect(sentenceFor({ list: [null, { string: 'al' }] })).toBeUndefined()
    expect(sentenceFor({ text: { string: 'x' }, list: [{ string: 'l' }, { string: 'y' }] })).toBe(
      "regex test/list 'y' doesnt match 'l'",
    )
    expect(sentenceFor({ text: { string: 'x' }, maybe: { array: ['m', 'z', 'q'] } })).toBe(
      "regex test/maybe 'z' doesnt match 'm'",
    )
    expect(sentenceFor({ text: { string: '' } })).toBe("regex test/text '' doesnt match 't'")
  })

  test('the pattern is found anywhere in the value, by either engine', async () => {
    const contract = await compile(
      definitionWith({
        validations: [
          { field: 'key', type: 'regex', value: 'b' },
          { field: 'key', type: 'regex', value: '(b+)+c' },
        ],
      }),
    )
    const sentenceFor = (key: string): string | undefined =>
      contract.firstViolation(contract.readJson(bodyWith({ ...baseEvent, key })))

    expect(sentenceFor('abbcd')).toBeUndefined()
    expect(sentenceFor('abbd')).toBe("regex test/key 'abbd' doesnt match '(b+)+c'")
    expect(sentenceFor('a')).toBe("regex test/key 'a' doesnt match 'b'")
  })
})
