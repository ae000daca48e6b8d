// The check of what readers decrypted finds values that they must not have decrypted, and values that they could not
// decrypt although they must.
import { expect, test } from '@jest/globals'
import { Encrypted } from '@weir/client'

import { createReadings } from '../src/check/readings.ts'
import { createViolations } from '../src/check/violations.ts'
import { piiOf, plainEventOf, putAt } from '../src/events.ts'
import type { Plain } from '../src/events.ts'
import { createPeople } from '../src/people.ts'
import type { Forgetting } from '../src/people.ts'
import { opens } from '../src/streams.ts'
import { at, derivedStream, makeEvents } from './hand-made.ts'

const levels = { type: 'CUMULATIVE', levels: [1], decryptAt: 'reader' } as const
const output = derivedStream(levels)
const { ledger } = makeEvents()
const event = at(
  ledger.all().filter(({ consentLevels }) => consentLevels.includes(1)),
  0,
)
const appliedMs = event.answeredMs + 60_000
const closed = new Encrypted('AQ==', 'no_key')

/** Returns the event as the output's reader gets it. `isClosed`: which permitted levels have no key. */
function decrypted(isClosed: (level: number) => boolean = () => false): Plain {
  const plain = plainEventOf(event)
  for (const [path, level] of event.kind.levels)
    if (piiOf(event).get(path) !== null && (!opens(levels, level) || isClosed(level)))
      putAt(plain, path, closed)
  return plain
}

function sorts(plain: Plain, atMs: number, removal?: Partial<Forgetting>): string[] {
  const violations = createViolations()
  const people = createPeople(ledger)
  const asked = { askedMs: event.answeredMs + 1_000, acceptedMs: event.answeredMs + 2_000 }
  if (removal !== undefined)
    people.add({
      stream: 'in',
      person: event.person,
      levels: undefined,
      ...asked,
      attempts: 1,
      erasureId: 'e',
      appliedMs,
      ...removal,
    })
  const readings = createReadings(violations)
  readings.add({ output, event, atMs, plain })
  readings.check(people)
  return Object.keys(violations.counts())
}

const lowest = Math.min(...event.kind.levels.values())
const isLowest = (level: number): boolean => level === lowest

test.each([
  ['a person whom nobody removed', decrypted(), appliedMs, undefined],
  ['a person before the erasure is applied', decrypted(), appliedMs, {}],
  ['an erased person, without values', decrypted(() => true), appliedMs + 1, {}],
  ['a withdrawn level', decrypted(isLowest), appliedMs + 1, { levels: [lowest] }],
])('correct: %s', (_, plain, atMs, removal) => {
  expect(sorts(plain, atMs, removal)).toEqual([])
})

test.each([
  ['an erased person', decrypted(), appliedMs + 1, {}, 'decrypted-too-much'],
  ['a withdrawn level', decrypted(), appliedMs + 1, { levels: [lowest] }, 'decrypted-too-much'],
  ['a level above the output', plainEventOf(event), appliedMs, undefined, 'decrypted-too-much'],
  ['no key for anybody', decrypted(() => true), appliedMs, undefined, 'not-decrypted'],
])('a violation: %s', (_, plain, atMs, removal, sort) => {
  expect(sorts(plain, atMs, removal)).toEqual([sort])
})

test('a violation: another value than was sent', () => {
  const plain = decrypted()
  for (const [path, level] of event.kind.levels) if (isLowest(level)) putAt(plain, path, 'other')
  expect(sorts(plain, appliedMs)).toContain('changed')
})
