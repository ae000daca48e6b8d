import { expect, test } from '@jest/globals'
import { createTurns } from '../../src/api/turns.ts'

const bounds = { atOnceMax: 2, waitingMax: 3, waitingOfOneMax: 2 }

/** Work that says when it has begun, and ends when it is told to. */
function workOf() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { hasBegun: false, end: resolve }
  return { state, run: async () => ((state.hasBegun = true), promise) }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('an account has one piece of work at a time, and all together have a few', async () => {
  const inTurn = createTurns(bounds)
  const [first, again, second, third] = [workOf(), workOf(), workOf(), workOf()]
  const done = [
    inTurn('a', first.run),
    inTurn('a', again.run),
    inTurn('b', second.run),
    inTurn('c', third.run),
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
  const inTurn = createTurns(bounds)
  const work = workOf()
  const done = ['a', 'a', 'a'].map((who) => inTurn(who, work.run))
  await expect(inTurn('a', work.run)).rejects.toMatchObject({ code: 'busy' })
  done.push(inTurn('b', work.run), inTurn('c', work.run))
  await expect(inTurn('d', work.run)).rejects.toMatchObject({ code: 'busy' })
  work.state.end()
  await Promise.all(done)
})

test('work that fails makes room for the next', async () => {
  const inTurn = createTurns({ ...bounds, atOnceMax: 1 })
  await expect(inTurn('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await inTurn('a', () => Promise.resolve(1))).toBe(1)
})
