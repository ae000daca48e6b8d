import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createTurns } from '../../src/event/turns.ts'

test('what takes long is done once in a turn of the event loop, in order; the rest at once', async () => {
  const turnFor = createTurns()
  expect(turnFor(100_000)).toBeUndefined()
  const done: number[] = []
  for (const nth of [1, 2, 3]) void turnFor(2_000_000)?.then(() => done.push(nth))
  expect(done).toEqual([])
  const seen: number[] = []
  while (done.length < 3) {
    await nextTurn()
    seen.push(done.length)
  }
  expect(done).toEqual([1, 2, 3])
  expect(Math.max(...seen.map((count, at) => count - (seen[at - 1] ?? 0)))).toBe(1)
})
