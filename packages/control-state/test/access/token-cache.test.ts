import { expect, test } from '@jest/globals'
import { createTokenCache } from '../../src/access/token-cache.ts'

test('is bounded in bytes: the token that came first goes first', () => {
  const cache = createTokenCache<number>(10_000)
  const token = (nth: number): string => `${nth}`.padEnd(3_000, '.')
  for (const nth of [1, 2, 3]) cache.set(token(nth), nth)
  expect([1, 2, 3].map((nth) => cache.get(token(nth)))).toEqual([undefined, 2, 3])
  cache.set('short', 4)
  expect(cache.get(token(2))).toBe(2)
  cache.delete(token(2))
  cache.set(token(5), 5)
  expect([cache.get(token(3)), cache.get('short'), cache.get(token(5))]).toEqual([3, 4, 5])
})

test('a token that is set again counts once', () => {
  const cache = createTokenCache<number>(3_000)
  for (let nth = 0; nth < 100; nth += 1) cache.set('one', nth)
  cache.set('two', 0)
  expect([cache.get('one'), cache.get('two')]).toEqual([99, 0])
})
