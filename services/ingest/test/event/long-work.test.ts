import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createLongWork } from '../../src/event/long-work.ts'

const costly = 2_000_000

test('what takes long is done once in a turn of the event loop, in order; the rest at once', async () => {
  const { turnFor } = createLongWork()
  expect(turnFor('acme', 100_000)).toBeUndefined()
  const done: number[] = []
  for (const nth of [1, 2, 3]) void turnFor('acme', costly)?.then(() => done.push(nth))
  expect(done).toEqual([])
  const seen: number[] = []
  while (done.length < 3) {
    await nextTurn()
    seen.push(done.length)
  }
  expect(done).toEqual([1, 2, 3])
  expect(Math.max(...seen.map((count, at) => count - (seen[at - 1] ?? 0)))).toBe(1)
})

test('accounts take turns, however much one of them has to do', async () => {
  const { turnOf } = createLongWork()
  const done: string[] = []
  const all = ['loud', 'loud', 'loud', 'loud', 'quiet', 'quiet'].map(async (account) => {
    await turnOf(account)
    done.push(account)
  })
  await Promise.all(all)
  expect(done).toEqual(['loud', 'quiet', 'loud', 'quiet', 'loud', 'loud'])
})

test('a piece is over after some milliseconds, and then waits while others have theirs', async () => {
  let nowMs = 0
  const { isOver, turnOf } = createLongWork(() => nowMs)
  expect(isOver()).toBe(false)
  nowMs = 5
  expect(isOver()).toBe(false)
  nowMs = 5.1
  expect(isOver()).toBe(true)
  await turnOf('acme')
  expect(isOver()).toBe(false)
})
