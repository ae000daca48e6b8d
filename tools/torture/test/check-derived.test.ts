// The check of derived topics finds each kind of violation in an otherwise correct topic.
import { describe, expect, test } from '@jest/globals'

import { decode, piiOf, putAt } from '../src/events.ts'
import type { OutputLevels } from '../src/streams.ts'
import {
  at,
  derive,
  derivedSorts,
  derivedStream,
  framed,
  makeEvents,
  openedRecord,
} from './hand-made.ts'

const cumulative: OutputLevels = { type: 'CUMULATIVE', levels: [1] }
const granular: OutputLevels = { type: 'GRANULAR', levels: [1, 3] }

const events = makeEvents()
const stream = derivedStream(cumulative)
const right = derive(events, cumulative)

test.each([cumulative, granular])(
  'nothing is found in what $type $levels has to hold',
  (levels) => {
    const derived = derive(events, levels)
    expect(derived.length).toBeGreaterThan(3)
    expect(derivedSorts(events, derivedStream(levels), derived)).toEqual([])
  },
)

test('a record that is missing is found, at the end too', () => {
  expect(derivedSorts(events, stream, right.toSpliced(2, 1))).toEqual(['not-derived'])
  expect(derivedSorts(events, stream, right.slice(0, -1))).toEqual(['not-derived'])
  expect(derivedSorts(events, stream, [])).toEqual(['not-derived'])
})

test('a record that is there twice is found', () => {
  const again = { ...at(right, 2), offset: 99n }
  expect(derivedSorts(events, stream, right.toSpliced(3, 0, again))).toEqual(['derived-twice'])
})

test('records in another order are found', () => {
  const swapped = [at(right, 1), at(right, 0), ...right.slice(2)]
  expect(derivedSorts(events, stream, swapped)).toEqual(['order'])
})

test('a record whose consent does not reach the stream is found', () => {
  const event = at(events.ledger.all(), 0)
  const wrong = openedRecord(event, at(events.records, 0), { levels: cumulative, offset: 0n })
  expect(derivedSorts(events, stream, [wrong, ...right])).toEqual(['derived-wrongly'])
})

test('a source that is not in the partition, or none, is found', () => {
  const headers = { ...at(right, 0).headers, 'svc-source': Buffer.from('a.in/1/0') }
  const wrong = { ...at(right, 0), headers }
  expect(derivedSorts(events, stream, [wrong, ...right])).toEqual(['derived-wrongly'])
})

test.each([cumulative, granular])('a field above the level of $type $levels is found', (levels) => {
  const derived = derive(events, levels)
  const index = derived.findIndex((record) => sourceOf(record).kind.name === 'demo_v1')
  const record = at(derived, index)
  const event = sourceOf(record)
  const plain = decode(event.kind, record.value?.subarray(5) ?? Buffer.alloc(0))
  putAt(plain, 'consistent_value', piiOf(event).get('consistent_value'))
  const wrong = { ...record, value: framed(event.kind, plain) }
  const sorts = derivedSorts(events, derivedStream(levels), derived.with(index, wrong))
  expect(sorts).toEqual(['decrypted-too-much', 'derived-wrongly'])
})

test('a field that should be open and is not is found', () => {
  const source = at(events.records, 2)
  const headers = { ...source.headers, 'svc-source': Buffer.from('a.in/0/2') }
  const sealed = { ...source, offset: 0n, headers }
  expect(right[0]?.headers['svc-source']?.toString()).toBe('a.in/0/2')
  expect(derivedSorts(events, stream, right.with(0, sealed))).toEqual(['derived-wrongly'])
})

test('another key, time or header than the source has is found', () => {
  const record = at(right, 0)
  const withHeader = (name: string) => ({
    ...record,
    headers: { ...record.headers, [name]: Buffer.from('1') },
  })
  for (const wrong of [
    { ...record, key: Buffer.from('other') },
    withHeader('svc-time'),
    withHeader('svc-undecryptable'),
  ])
    expect(derivedSorts(events, stream, right.with(0, wrong))).toEqual(['derived-wrongly'])
})

describe('a stream that began somewhere between two offsets', () => {
  const begun = derivedStream(cumulative, { start: [{ earliest: 10n, latest: 20n }] })
  const since = (offset: number) => right.filter((record) => numberOf(record) >= offset)

  test.each([10, 15, 20])('may begin at %i', (offset) => {
    expect(derivedSorts(events, begun, since(offset))).toEqual([])
  })
  test('may not begin before the first or after the second', () => {
    expect(derivedSorts(events, begun, since(5))).toEqual(['derived-wrongly'])
    expect(derivedSorts(events, begun, since(24))).toEqual(['not-derived'])
  })
  test('may leave nothing out once it has begun', () => {
    const [first, , ...rest] = since(10)
    expect(derivedSorts(events, begun, first === undefined ? [] : [first, ...rest])).toEqual([
      'not-derived',
    ])
  })
})

test('what retention has taken must be missing, and nothing else', () => {
  const gap = { partition: 0, from: 10n, to: 20n, countedAtLeast: 10n }
  const torn = derivedStream(cumulative, { gaps: [gap] })
  const without = right.filter((record) => numberOf(record) < 10 || numberOf(record) >= 20)
  expect(derivedSorts(events, torn, without)).toEqual([])
  expect(derivedSorts(events, torn, right)).toEqual(['derived-wrongly'])
  expect(derivedSorts(events, torn, without.slice(0, -1))).toEqual(['not-derived'])
})

const numberOf = (record: (typeof right)[number]): number =>
  Number(record.headers['svc-source']?.toString().split('/')[2])

function sourceOf(record: (typeof right)[number]) {
  return at(events.ledger.all(), numberOf(record))
}
