// The check of derived topics finds values that are decrypted, or still stored, after an erasure or a withdrawal.
import { expect, test } from '@jest/globals'

import { createPeople } from '../src/people.ts'
import type { Forgetting } from '../src/people.ts'
import { piiOf } from '../src/events.ts'
import { opens } from '../src/streams.ts'
import type { OutputLevels } from '../src/streams.ts'
import { at, closedRecord, derive, derivedSorts, derivedStream, makeEvents } from './hand-made.ts'
import type { Events } from './hand-made.ts'
import type { SourceRecord } from '@weir/kafka'

const cumulative: OutputLevels = { type: 'CUMULATIVE', levels: [1] }
const stream = derivedStream(cumulative)
const events = makeEvents()
const right = derive(events, cumulative)
const writtenMs = at(right, 0).timestampMs
const { person } = at(events.ledger.all(), 0)

function forgotten(more: Partial<Forgetting> = {}) {
  const people = createPeople(events.ledger)
  people.add({
    stream: 'in',
    person,
    levels: undefined,
    askedMs: Date.now() + 1_000,
    attempts: 1,
    acceptedMs: Date.now() + 2_000,
    erasureId: 'e',
    appliedMs: writtenMs - 1,
    ...more,
  })
  return people
}

/** Replaces the fields of these levels by their encrypted values from the input. */
function closing(
  records: readonly SourceRecord[],
  levels: readonly number[],
  { ledger, records: sources }: Events,
) {
  return records.map((record) => {
    const offset = Number(record.headers['svc-source']?.toString().split('/').pop())
    const event = ledger.find(offset)
    if (event?.person !== person) return record
    const pii = piiOf(event)
    const paths = [...event.kind.levels]
      .filter(
        ([path, level]) =>
          levels.includes(level) && opens(cumulative, level) && pii.get(path) !== null,
      )
      .map(([path]) => path)
    return paths.length === 0
      ? record
      : closedRecord(event, { record, source: at(sources, offset) }, paths)
  })
}

const isOf = (record: SourceRecord): boolean =>
  events.ledger.find(Number(record.headers['svc-source']?.toString().split('/').pop()))?.person ===
  person

const sorts = (derived: readonly SourceRecord[], people = forgotten()) =>
  derivedSorts(events, stream, derived, people)

test('whoever is erased is closed in what is written later, and nobody else', () => {
  const closed = closing(right, [0, 1, 2, 3], events)
  expect(sorts(closed)).toEqual([])
  expect(sorts(right)).toContain('decrypted-too-much')
  expect(sorts(closed, createPeople(events.ledger))).toContain('derived-wrongly')
})

test('what was written before it was applied may be either', () => {
  const people = forgotten({ appliedMs: writtenMs + 1 })
  expect(sorts(right, people)).toEqual([])
  expect(sorts(closing(right, [0, 1, 2, 3], events), people)).toEqual([])
})

test('so may be what was sent meanwhile; what was sent after it is as ever', () => {
  const meanwhile = forgotten({ askedMs: 0 })
  expect(sorts(right, meanwhile)).toEqual([])
  expect(sorts(closing(right, [1], events), meanwhile)).toEqual([])
  const before = forgotten({ askedMs: 0, acceptedMs: 0 })
  expect(sorts(right, before)).toEqual([])
  expect(sorts(closing(right, [1], events), before)).toContain('derived-wrongly')
})

test('an event that needs a level that was withdrawn must not be there, and may be missing', () => {
  const people = forgotten({ levels: [1] })
  expect(sorts(right, people)).toContain('derived-wrongly')
  expect(
    sorts(
      right.filter((record) => !isOf(record)),
      people,
    ),
  ).toEqual([])
})

test('a level that the output does not ask for closes its fields, and keeps the event', () => {
  const people = forgotten({ levels: [0] })
  expect(sorts(closing(right, [0], events), people)).toEqual([])
  expect(
    sorts(
      right.filter((record) => !isOf(record)),
      people,
    ),
  ).toEqual(['not-derived'])
  expect(sorts(right, people)).toContain('decrypted-too-much')
})
