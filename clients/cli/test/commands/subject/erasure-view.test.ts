import { expect, test } from '@jest/globals'
import { renderErasure } from '../../../src/commands/subject/erasure-view.ts'

test('the day until which the person must have an answer is named like the option', () => {
  const [text = ''] = renderErasure({ id: 'e1', state: 'accepted', dueOn: '2026-12-24' }).split(
    '\n\n',
  )
  expect(text).toMatch(/^due +2026-12-24$/m)
  expect(text).not.toContain('dueOn')
  expect(renderErasure({ id: 'e1' })).not.toContain('due')
})

test('each output has the number of events that the search found, or says that it is unknown', () => {
  const outputs = [
    {
      name: 'clicks-1',
      levels: [0, 1],
      events: 2,
      foundLevels: [1],
      clearAt: '2026-12-24T00:00:00Z',
    },
    { name: 'clicks-2', levels: [2], clearAt: 'unknown', because: 'it is compacted' },
  ]
  expect(renderErasure({ id: 'e1', outputs }).split('\n').slice(-3)).toEqual([
    'OUTPUT    LEVELS  EVENTS   FOUND    CLEAR AT              WHY',
    'clicks-1  0, 1    2        1        2026-12-24T00:00:00Z  -',
    'clicks-2  2       unknown  unknown  unknown               it is compacted',
  ])
})

test('an output whose readers decrypt is named, with how long they may use a key', () => {
  const readers = [{ name: 'lake', levels: [0, 2], events: 28, keyMaxAgeSeconds: 300 }]
  expect(renderErasure({ id: 'e1', readers })).toContain(
    'Readers of lake decrypt level 0, 2 themselves (28 events found).\nThey may use a key for 300 seconds',
  )
})
