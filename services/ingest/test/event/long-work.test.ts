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

test('while another account is served, what is costly has a fifth of the time', async () => {
  const { turnFor } = createLongWork()
  const began: number[] = []
  const begin = async (): Promise<void> => {
    await turnFor('loud', costly)
    began.push(performance.now())
  }
  const beside = setInterval(() => void turnFor('quiet', 1), 5)
  void turnFor('quiet', 1)
  await Promise.all([begin(), begin(), begin()])
  clearInterval(beside)
  const [first = 0, second = 0, third = 0] = began
  // The estimated cost of each event is 20 ms, so the next may begin 100 ms later. Node's timers may fire a millisecond
  // early.
  expect(second - first).toBeGreaterThanOrEqual(99)
  expect(third - second).toBeGreaterThanOrEqual(99)
})

test('an account has at most fifty costly events waiting, and others theirs', async () => {
  const { turnFor } = createLongWork()
  const waiting = Array.from({ length: 50 }, async () => turnFor('loud', costly))
  expect(() => turnFor('loud', costly)).toThrow('50 events of the account')
  expect(turnFor('loud', 1)).toBeUndefined()
  await turnFor('other', costly)
  await Promise.all(waiting)
  await turnFor('loud', costly)
})
