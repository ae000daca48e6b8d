// The people named by the events of a shared device.
import { expect, test } from '@jest/globals'
import { namesIn, namesInWords, rowsOf } from '../web/people/names-in.ts'

const by = [{ contract: 'orders', field: 'customer/mail', keyField: 'tablet' }]
const line = (person: string, mail?: string, contract = 'orders', tablet?: string): string =>
  JSON.stringify({ contract, person, event: { customer: { mail }, tablet } })

test('events are counted by what they have in the field that names people', () => {
  const lines = [
    line('searched', 'ada'),
    line('other', 'bob'),
    line('other', 'bob'),
    line('other', 'eve', 'visits'),
    line('linked'),
    line('encrypted', 'AfT0'),
    JSON.stringify({ contract: 'orders', unreadable: 'why' }),
    '',
  ]
  const { all: names } = namesIn(lines.join('\n'), by)
  expect(names).toEqual({
    searched: 1,
    linked: 1,
    encrypted: 1,
    others: new Map([
      ['bob', 2],
      ['', 1],
    ]),
  })
  expect(namesInWords(names)).toBe(
    'In 6 events: this value in 1; bob in 2; another value in 1; no value in 1; a value that cannot be decrypted in 1.',
  )
})

test('beyond ten other values the rest is one number', () => {
  const others = Array.from({ length: 12 }, (_, at) => line('other', `m-${at}`))
  expect(namesInWords(namesIn(others.join('\n'), by).all)).toMatch(
    /^In 12 events: this value in 0; m-0 in 1; .*; m-9 in 1; other values in 2\.$/,
  )
})

test('each value of the key field has its own count, the one with the most events first', () => {
  const lines = [
    line('searched', 'ada', 'orders', 't-1'),
    line('other', 'bob', 'orders', 't-2'),
    line('searched', 'ada', 'orders', 't-2'),
    line('linked', undefined, 'orders', 't-2'),
  ]
  expect(rowsOf(namesIn(lines.join('\n'), by).byKey)).toEqual({
    rows: [
      { key: 't-2', events: 3, whom: 'this value in 1; bob in 1; no value in 1' },
      { key: 't-1', events: 1, whom: 'this value in 1' },
    ],
    more: 0,
  })
  const sessions = Array.from({ length: 60 }, (_, at) =>
    line('searched', 'ada', 'orders', `s-${at}`),
  )
  expect(rowsOf(namesIn(sessions.join('\n'), by).byKey)).toMatchObject({ more: 10 })
})
