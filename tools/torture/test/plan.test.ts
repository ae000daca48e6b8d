// A seed always gives the same storms. Every kind of fault occurs soon, and no fault overlaps itself.
import { expect, test } from '@jest/globals'

import { createOutputKills, createPlan, faultKindsOf, faultNeedsOf } from '../src/faults/plan.ts'
import { createLocks } from '../src/faults/locks.ts'
import { createRandom } from '../src/random.ts'
import { shiftFor } from '../src/clock.ts'
import { breakageNames, expectToFit, rewrite } from '../src/breakages.ts'

const kinds = faultKindsOf(1)

const stormsOf = (seed: number, count: number) => {
  const plan = createPlan(createRandom(seed), kinds)
  return Array.from({ length: count }, () => plan.next())
}

test('the same seed gives the same storms, another one others', () => {
  expect(stormsOf(5, 20)).toEqual(stormsOf(5, 20))
  expect(stormsOf(5, 20)).not.toEqual(stormsOf(6, 20))
})

test.each([1, 2, 3])('within twelve storms of seed %i each kind of fault has come', (seed) => {
  const seen = stormsOf(seed, 12).flatMap(({ faults }) => faults.map(({ kind }) => kind))
  expect(new Set(seen)).toEqual(new Set(kinds))
})

test('replicas of output are killed in turn, one each so many milliseconds', () => {
  const { faults } = createOutputKills(10_000, 35_000).next()
  expect(faults.map(({ kind, atMs, on }) => [kind, atMs, ...on])).toEqual([
    ['kill', 0, 'output-1'],
    ['kill', 10_000, 'output-2'],
    ['kill', 20_000, 'output-1'],
  ])
})

test('who needs the same thing waits, who needs another one does not', async () => {
  const locks = createLocks()
  const log: string[] = []
  const first = Promise.withResolvers<void>()
  const holding = [
    locks.hold(['a', 'b'], async () => {
      await first.promise
      log.push('first')
    }),
    locks.hold(['b', 'c'], async () => void log.push('second')),
    locks.hold(['d'], async () => void log.push('other')),
  ]
  await holding[2]
  first.resolve()
  await Promise.all(holding)
  expect(log).toEqual(['other', 'first', 'second'])
})

test('a fault that failed keeps nobody waiting', async () => {
  const locks = createLocks()
  const failing = locks.hold(['a'], () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  await expect(locks.hold(['a'], async () => 'yes')).resolves.toBe('yes')
})

test('every fault needs something for itself', () => {
  for (const { faults } of stormsOf(1, 20))
    for (const fault of faults) expect(faultNeedsOf(fault).length).toBeGreaterThan(0)
})

test.each([0, 60_000, 1_500_000, 1_900_000, 3_540_000])(
  'a clock %i ms past the hour is shifted by half an hour at most, to the full hour',
  (past) => {
    const now = Date.UTC(2026, 10, 21, 12) + past
    const shift = shiftFor(now, 60_000)
    expect(Math.abs(shift)).toBeLessThanOrEqual(1_800_000)
    expect((now + shift + 60_000) % 3_600_000).toBe(0)
  },
)

test.each(breakageNames)('the breakage %s fits the sources', async (name) => {
  await expect(expectToFit(name)).resolves.toBeUndefined()
})

test('a breakage whose line is not there, or there twice, is no breakage', () => {
  const one = { file: 'a.ts', from: 'x', to: 'y' }
  expect(rewrite('a x b', one)).toBe('a y b')
  expect(() => rewrite('a b', one)).toThrow('the breakage does not fit a.ts any more: x')
  expect(() => rewrite('x x', one)).toThrow('does not fit')
})
