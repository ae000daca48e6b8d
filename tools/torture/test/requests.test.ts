// Whether a response of ingest proves that an event was stored, or was not stored, or neither.
import { expect, test } from '@jest/globals'

import { eventOutcomeOf, outcomesOf } from '../src/load/requests.ts'

test.each([
  [{ status: 204, body: '' }, 'acknowledged'],
  [{ status: 400, body: 'no' }, 'refused'],
  [{ status: 401, body: 'no' }, 'refused'],
  [{ status: 429, body: 'no' }, 'refused'],
  [{ status: 500, body: 'no' }, 'unknown'],
  [{ status: 503, body: 'no' }, 'unknown'],
  [undefined, 'unknown'],
] as const)('of one event %j means %s', (answer, outcome) => {
  expect(eventOutcomeOf(answer)).toBe(outcome)
})

const ofMany = (accepted: number, rejected: { index: number; status: number }[]) =>
  outcomesOf({ status: 200, body: JSON.stringify({ accepted, rejected }) }, 3)

test('of many events all that are not rejected are acknowledged', () => {
  expect(ofMany(3, [])).toEqual(['acknowledged', 'acknowledged', 'acknowledged'])
  const rejected = [
    { index: 0, status: 400 },
    { index: 2, status: 503 },
  ]
  expect(ofMany(1, rejected)).toEqual(['refused', 'acknowledged', 'unknown'])
})

test('an answer that does not add up is no answer at all', () => {
  expect(() => ofMany(3, [{ index: 0, status: 400 }])).toThrow('does not add up')
})

test('an answer that broke off, or came for the whole request, is that of every event', () => {
  expect(outcomesOf({ status: 200, body: '{"accep' }, 2)).toEqual(['unknown', 'unknown'])
  expect(outcomesOf(undefined, 2)).toEqual(['unknown', 'unknown'])
  expect(outcomesOf({ status: 503, body: 'no' }, 2)).toEqual(['unknown', 'unknown'])
  expect(outcomesOf({ status: 401, body: 'no' }, 2)).toEqual(['refused', 'refused'])
})
