import { expect, test } from '@jest/globals'
import { createConcurrencyLimiter } from '../../src/access/concurrency-limiter.ts'

const bounds = { atOnceMax: 2, waitingMax: 3, waitingOfOneMax: 2 }

/** Returns work that reports its start, and ends when `end` is called. */
function workOf() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { hasBegun: false, end: resolve }
  return { state, run: async () => ((state.hasBegun = true), promise) }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('an account has one piece of work at a time, and all together have a few', async () => {
  const limited = createConcurrencyLimiter(bounds)
  const [first, again, second, third] = [workOf(), workOf(), workOf(), workOf()]
  const done = [
    limited('a', first.run),
    limited('a', again.run),
    limited('b', second.run),
    limited('c', third.run),
  ]
  await settle()
  const begun = () => [first, again, second, third].map(({ state }) => state.hasBegun)
  expect(begun()).toEqual([true, false, true, false])
  second.state.end()
  await settle()
  expect(begun()).toEqual([true, false, true, true])
  first.state.end()
  await settle()
  expect(begun()).toEqual([true, true, true, true])
  for (const { state } of [again, third]) state.end()
  await Promise.all(done)
})

test('who comes when too many wait is told to come again', async () => {
  const limited = createConcurrencyLimiter(bounds)
  const work = workOf()
  const done = ['a', 'a', 'a'].map((who) => limited(who, work.run))
  await expect(limited('a', work.run)).rejects.toMatchObject({ code: 'busy' })
  done.push(limited('b', work.run), limited('c', work.run))
  await expect(limited('d', work.run)).rejects.toMatchObject({ code: 'busy' })
  work.state.end()
  await Promise.all(done)
})

test('work that fails makes room for the next', async () => {
  const limited = createConcurrencyLimiter({ ...bounds, atOnceMax: 1 })
  await expect(limited('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await limited('a', () => Promise.resolve(1))).toBe(1)
})
