// The check of dead letter topics finds each kind of violation in an otherwise correct topic.
import { expect, test } from '@jest/globals'

import { checkDead } from '../src/check/check-dead.ts'
import { createViolations } from '../src/check/violations.ts'
import { isForeign } from '../src/world/strangers.ts'
import { at, derivedStream } from './hand-made.ts'

const stream = derivedStream({ type: 'CUMULATIVE', levels: [1] })
const mark = { 'torture-stranger': Buffer.from('1') }
const input = Array.from({ length: 6 }, (_, index) => ({
  partition: 0,
  offset: BigInt(index * 3),
  timestampMs: 1_000 + index,
  key: null,
  value: Buffer.from(`corrupt ${index}`),
  headers: mark,
}))
const right = input.map((source, index) => ({
  ...source,
  offset: BigInt(index),
  timestampMs: 99_000,
  headers: {
    ...mark,
    'svc-source': Buffer.from(`a.in/0/${source.offset}`),
    'svc-error': Buffer.from('corrupt'),
    'svc-time': Buffer.from(String(source.timestampMs)),
  },
}))

function sortsOf(dead: typeof right, of = stream): string[] {
  const violations = createViolations()
  checkDead({ violations }, of, { partition: 0, input, dead })
  return Object.keys(violations.counts())
}

test('a record of a stranger is foreign, and its dead letter is not', () => {
  expect([...input, ...right].map(isForeign)).toEqual([
    ...input.map(() => true),
    ...right.map(() => false),
  ])
})

test('nothing is found where each record that is no event has its dead letter', () => {
  expect(sortsOf(right)).toEqual([])
})

test('a dead letter that is missing, there twice or in another order is found', () => {
  expect(sortsOf(right.toSpliced(2, 1))).toEqual(['not-derived'])
  expect(sortsOf(right.toSpliced(3, 0, at(right, 2)))).toEqual(['derived-twice'])
  expect(sortsOf([at(right, 1), at(right, 0), ...right.slice(2)])).toEqual(['order'])
})

test('a dead letter of an event is found', () => {
  const headers = { ...at(right, 0).headers, 'svc-source': Buffer.from('a.in/0/1') }
  expect(sortsOf([...right, { ...at(right, 0), headers }])).toEqual(['dead'])
})

test('a dead letter that is not its source, or dead for another reason, is found', () => {
  const record = at(right, 0)
  const headers = { ...record.headers, 'svc-error': Buffer.from('undecodable') }
  for (const wrong of [
    { ...record, headers },
    { ...record, value: Buffer.from('other') },
  ])
    expect(sortsOf(right.with(0, wrong))).toEqual(['derived-wrongly'])
})

test('what lies before the start of a stream, or what retention took, may be missing', () => {
  const start = [{ earliest: 3n, latest: 4n }]
  const gaps = [{ partition: 0, from: 9n, to: 12n, countedAtLeast: 3n }]
  expect(sortsOf([at(right, 2), ...right.slice(4)], { ...stream, start, gaps })).toEqual([])
})
