// The check of input topics finds each kind of violation in an otherwise correct topic.
import { expect, test } from '@jest/globals'

import { decode, personNamed, plainEventOf, putAt } from '../src/events.ts'
import { asObject } from '@weir/testkit'
import { at, framed, inputSorts, makeEvents, recordOf, withOutcome } from './hand-made.ts'

const replaced = <T>(items: readonly T[], index: number, item: T): T[] =>
  items.map((one, place) => (place === index ? item : one))

test('nothing is found where everything is as it was sent', () => {
  expect(inputSorts(makeEvents())).toEqual([])
})

test('an acknowledged event that is not there is lost', () => {
  const events = makeEvents()
  expect(inputSorts({ ...events, records: events.records.toSpliced(9, 1) })).toEqual(['lost'])
})

test('an event without a known answer may be there or not, but not twice', () => {
  const events = makeEvents()
  withOutcome(events, 9, 'unknown')
  expect(inputSorts(events)).toEqual([])
  expect(inputSorts({ ...events, records: events.records.toSpliced(9, 1) })).toEqual([])
  const again = { ...at(events.records, 9), offset: 99n }
  expect(inputSorts({ ...events, records: [...events.records, again] })).toEqual(['doubled'])
})

test('a refused event must not be there', () => {
  const events = makeEvents()
  withOutcome(events, 9, 'refused')
  expect(inputSorts(events)).toEqual(['refused-but-stored'])
})

test('an acknowledged event that is there twice is doubled', () => {
  const events = makeEvents()
  const again = { ...at(events.records, 9), offset: 99n }
  expect(inputSorts({ ...events, records: [...events.records, again] })).toContain('doubled')
})

test('a record that nobody sent is found', () => {
  const events = makeEvents()
  const stranger = { ...at(events.records, 9), value: Buffer.from([0, 0, 0, 0, 7, 1]) }
  const records = [...events.records, stranger]
  expect(inputSorts({ ...events, records })).toEqual(['unknown-record'])
})

test('a personal field in the clear is found', () => {
  const events = makeEvents()
  const event = at(events.ledger.all(), 9)
  const record = at(events.records, 9)
  const plain = decode(event.kind, record.value?.subarray(5) ?? Buffer.alloc(0))
  putAt(plain, event.kind.keyField, event.person)
  const records = replaced(events.records, 9, { ...record, value: framed(event.kind, plain) })
  expect(inputSorts({ ...events, records })).toEqual(['not-sealed'])
})

test('a field that was sent otherwise is found', () => {
  const events = makeEvents()
  const event = at(events.ledger.all(), 9)
  const record = at(events.records, 9)
  const plain = decode(event.kind, record.value?.subarray(5) ?? Buffer.alloc(0))
  asObject(plain['svcMeta'])['consentLevels'] = [7]
  const records = replaced(events.records, 9, { ...record, value: framed(event.kind, plain) })
  expect(inputSorts({ ...events, records })).toEqual(['changed'])
})

test('acknowledged events of one person that lie in another order are found', () => {
  const events = makeEvents()
  const [third, sixth] = [at(events.records, 3), at(events.records, 6)]
  const swapped = replaced(replaced(events.records, 3, { ...sixth, offset: 3n }), 6, {
    ...third,
    offset: 6n,
  })
  expect(inputSorts({ ...events, records: swapped })).toEqual(['order'])
  withOutcome(events, 3, 'unknown')
  expect(inputSorts({ ...events, records: swapped })).toEqual([])
})

test('a key that stands for two persons, and a person with two keys, are found', () => {
  const events = makeEvents()
  const stranger = at(makeEvents().records, 1)
  const { key, headers } = stranger
  const record = { ...at(events.records, 9), key, headers: { ...at(events.records, 9).headers } }
  const wrong = { ...record, headers: { ...record.headers, ...pick(headers) } }
  expect(inputSorts({ ...events, records: replaced(events.records, 9, wrong) })).toContain(
    'wrong-key',
  )
})

test('one key in two partitions is found', () => {
  const events = makeEvents()
  const elsewhere = { ...at(events.records, 9), partition: 1 }
  expect(inputSorts({ ...events, records: replaced(events.records, 9, elsewhere) })).toEqual([
    'wrong-key',
  ])
})

test('no personal value is part of another event of the same kind', () => {
  const { ledger } = makeEvents(2)
  const event = at(ledger.all(), 1)
  expect(JSON.stringify(plainEventOf(event))).not.toContain(personNamed('in', 0))
  expect(recordOf(event, 0n).value?.includes(event.person)).toBe(false)
})

const pick = (headers: Readonly<Record<string, Buffer>>) => ({
  'svc-key-link': headers['svc-key-link'] ?? Buffer.alloc(0),
})
