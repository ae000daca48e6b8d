// Which erasures the page shows.
import { expect, test } from '@jest/globals'
import type { ErasureState } from '../web/api/erasure.ts'
import { anyErasure, inOrder, isWanted } from '../web/erasures/wanted.ts'

const reached = (...states: readonly ErasureState[]) =>
  new Map(states.map((state) => [state, { at: '2026-11-22T12:00:00Z', expectedBy: '' }]))

const request = {
  id: '7a1e',
  reference: 'TICKET-7',
  dueOn: '2001-12-24',
  states: reached('accepted', 'applied'),
}
const done = { ...request, states: reached('accepted', 'applied', 'complete') }

test.each(['', ' ticket-7 ', '7A1'])('by a part of its reference or id: %p', (words) => {
  expect(isWanted(request, { ...anyErasure, words })).toBe(true)
  expect(isWanted({ ...request, id: 'b', reference: '' }, { ...anyErasure, words })).toBe(
    words === '',
  )
})

test('an id is found by its first characters: anything else in it is chance', () => {
  const by = (words: string) => isWanted({ ...request, id: '7a1b-22' }, { ...anyErasure, words })
  expect(['7A1B-', 'B-', '22'].map(by)).toEqual([true, false, true]) // a date contains 22
  expect(by('b-2')).toBe(false)
})

test.each([
  '24 dec 2001',
  '22 nov 2026, 12:00 UTC',
  '2001-12-24',
  '2026-11-22',
  '24.12.2001',
  '22.11.2026',
])('by a date as it is shown, or as files have it: %p', (words) => {
  expect(isWanted(request, { ...anyErasure, words })).toBe(true)
  expect(isWanted(request, { ...anyErasure, words: '25 Dec 2001' })).toBe(false)
})

test('by its state; only what is not complete can be overdue', () => {
  const which = (of: typeof request) =>
    (['not complete', 'overdue', 'complete'] as const).filter((kind) =>
      isWanted(of, { ...anyErasure, which: kind }),
    )
  expect(which(request)).toEqual(['not complete', 'overdue'])
  expect(which({ ...request, dueOn: '' })).toEqual(['not complete'])
  expect(which({ ...request, dueOn: '2999-01-01' })).toEqual(['not complete'])
  expect(which(done)).toEqual(['complete'])
})

test('the first due is the first of those that are not complete, and then the newest', () => {
  const of = (id: string, dueOn: string, at: string) => {
    const states = new Map([['accepted' as const, { at, expectedBy: '' }]])
    return { id, dueOn, states }
  }
  const all = [
    of('old', '', '2026-11-01T00:00:00Z'),
    of('new', '', '2026-11-09T00:00:00Z'),
    of('due later', '2026-12-24', '2026-11-08T00:00:00Z'),
    of('due', '2026-12-01', '2026-11-02T00:00:00Z'),
    of('due, newer', '2026-12-01', '2026-11-03T00:00:00Z'),
  ]
  const ordered = (which: 'all' | 'not complete' | 'overdue') =>
    inOrder(all, { ...anyErasure, which }).map(({ id }) => id)
  expect(ordered('all')).toEqual(['new', 'due later', 'due, newer', 'due', 'old'])
  for (const which of ['not complete', 'overdue'] as const)
    expect(ordered(which)).toEqual(['due, newer', 'due', 'due later', 'new', 'old'])
})
