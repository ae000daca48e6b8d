// Events per second, computed from offsets at several times.
import { expect, test } from '@jest/globals'
import { ratesOf, withSeen } from '../web/streams/rates.ts'
import type { Seen } from '../web/streams/rates.ts'

const at = (atMs: number, end: number, next: number): Seen => ({ atMs, end, next })

test('one look tells no rate', () => {
  expect(ratesOf([at(0, 10, 10)])).toBeUndefined()
})

test('a rate is over the last ten seconds, so that a step says little', () => {
  let seen: readonly Seen[] = []
  for (let second = 0; second <= 30; second += 1)
    seen = withSeen(seen, at(second * 1000, second * 100, Math.floor(second / 5) * 500))
  expect(seen).toHaveLength(11)
  expect(ratesOf(seen)).toEqual({ stored: 100, derived: 100 })
})

test('offsets that go back, after a stream was made anew, are no negative rate', () => {
  expect(ratesOf([at(0, 50, 50), at(1000, 0, 0)])).toEqual({ stored: 0, derived: 0 })
})
