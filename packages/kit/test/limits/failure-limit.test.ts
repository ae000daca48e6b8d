import { expect, test } from '@jest/globals'
import { createFailureLimit } from '../../src/limits/failure-limit.ts'

function setUp(namesMax?: number) {
  let nowMs = 0
  const limit = createFailureLimit({
    now: () => nowMs,
    ...(namesMax === undefined ? {} : { namesMax }),
  })
  const fail = (clientId: string, times = 1): (number | undefined)[] =>
    Array.from({ length: times }, () => limit.fail(clientId))
  return { fail, at: (ms: number) => void (nowMs = ms) }
}

test('ten failures in a minute pass, the eleventh has to wait for the end of the minute', () => {
  const { fail, at } = setUp()
  expect(fail('a', 10)).toEqual(Array(10).fill(undefined))
  expect(fail('a')).toEqual([60])
  at(59_999)
  expect(fail('a')).toEqual([1])
  at(60_000)
  expect(fail('a', 10)).toEqual(Array(10).fill(undefined))
})

test('clients are counted apart', () => {
  const { fail } = setUp()
  fail('a', 11)
  expect(fail('b')).toEqual([undefined])
})

test('only so many clients are remembered, those that failed last', () => {
  const { fail } = setUp(2)
  fail('a', 11)
  fail('b', 10)
  expect(fail('a')).toEqual([60])
  fail('c')
  expect(fail('b')).toEqual([undefined])
  expect(fail('c', 10).at(-1)).toBe(60)
})
