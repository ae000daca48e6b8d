import { describe, expect, test } from '@jest/globals'
import {
  coloured,
  createTally,
  fieldPath,
  filterOf,
  isSealed,
  pick,
} from '../../../src/commands/events/listen-view.ts'

const event = {
  svcMeta: { keyLink: 0x0102_0304, consentLevels: [0, 1] },
  url: 'https://shop.example.com/products/1',
  customer: { id: '42' },
  conversion: 1,
  tests: ['a', 'b'],
}

describe('a filter', () => {
  test.each([
    ['customer.id=42', true],
    ['customer.id!=42', false],
    ['customer/id=42', true],
    ['conversion=1', true],
    ['url~/products/', true],
    ['url~/checkout/', false],
    ['tests=b', true],
    ['tests!=b', false],
    ['svcMeta.consentLevels=1', true],
    ['missing=', false],
    ['missing!=x', true],
    ['missing~', false],
    ['constructor~f', false],
    ['url~.*', false],
  ])('%s: %s', (text, holds) => {
    expect(filterOf(text).every((filter) => filter.holds(event))).toBe(holds)
  })

  test('that is none is refused', () => {
    for (const text of ['', 'url', '=x', 'a b=c', 'a..b', 'url==x'])
      expect(() => filterOf(text)).toThrow('It must')
  })
})

test('the fields that no event had are named at the end, and an encrypted or empty field is one', () => {
  const tally = createTally(['custmer.id', 'url', 'none'])
  expect(tally.sentence()).toBe('0 events arrived, 0 matched.')
  tally.count(event, false)
  tally.count({ none: null }, true)
  expect(tally.sentence()).toBe(
    '2 events arrived, 1 matched. None of them had the field custmer.id.',
  )
})

test('the fields that the first event lacks are told at once, with the names that were perhaps meant', () => {
  const tally = createTally(['custmer.id', 'url', 'none'])
  expect(tally.count(event, false)).toBe(
    'The first event has no field custmer.id (did you mean customer.id?) or none.',
  )
  expect(tally.count({}, false)).toBeUndefined()
  expect(createTally(['url', 'svcMeta.keyLink']).count(event, true)).toBeUndefined()
  const hostile = { 'u\u001b[2Jrl': 1 }
  expect(createTally(['u2Jrl']).count(hostile, true)).toContain('did you mean u\\u001b[2Jrl?')
})

test('the fields that are asked for stay where they were, and what is not there is left out', () => {
  const paths = ['customer/id', 'svcMeta.keyLink', 'svcMeta.none', 'url'].flatMap((path) =>
    fieldPath(path),
  )
  expect(pick(event, paths)).toEqual({
    customer: { id: '42' },
    svcMeta: { keyLink: 0x0102_0304 },
    url: 'https://shop.example.com/products/1',
  })
  expect(Object.keys(pick(JSON.parse('{"__proto__":{"a":1}}'), ['__proto__.a']))).toEqual([
    '__proto__',
  ])
  expect(() => fieldPath('a..b')).toThrow('It must look like')
})

describe('colours', () => {
  const sealed = Buffer.concat([Buffer.from([1, 0x81, 2, 3, 4]), Buffer.alloc(20, 7)]).toString(
    'base64',
  )

  test('a sealed field is dimmed, and known by its form and the key link of its event', () => {
    expect(isSealed(sealed, 0x0102_0304)).toBe(true)
    expect(isSealed(sealed, 0x0102_0305)).toBe(false)
    expect(isSealed(sealed, '00000000-0000-0000-0000-000000000000')).toBe(true)
    expect(isSealed('A'.repeat(40), 0)).toBe(false)
    const line = coloured({ svcMeta: { keyLink: 0x0102_0304 }, name: sealed, url: 'open' })
    expect(line).toContain(`\u001b[2m"${sealed}"\u001b[0m`)
    expect(line).toContain('"open"')
  })

  test('an event can not steer the terminal', () => {
    const line = coloured({ ['\u009b2J']: '\u001b[2J\u202e' })
    expect(line).toContain('\\u009b2J')
    expect(line).toContain('\\u001b[2J\\u202e')
  })
})
