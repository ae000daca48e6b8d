import { expect, test } from '@jest/globals'
import { lastRanges } from '../../src/preview/preview.ts'

const taken = (from: bigint[], to: bigint[], last: number) =>
  lastRanges(from, to, last).map((range) => [range.from, range.to])

test('as many of each partition as possible, and of some more where others have fewer', () => {
  expect(taken([0n, 0n, 0n], [100n, 100n, 100n], 30)).toEqual([
    [90n, 100n],
    [90n, 100n],
    [90n, 100n],
  ])
  expect(taken([0n, 5n, 0n], [100n, 9n, 0n], 30)).toEqual([
    [74n, 100n],
    [5n, 9n],
    [0n, 0n],
  ])
})

test('never more than there are, nor more than are asked for', () => {
  expect(taken([0n, 7n], [3n, 9n], 1_000)).toEqual([
    [0n, 3n],
    [7n, 9n],
  ])
  expect(taken([0n, 0n, 0n], [9n, 9n, 9n], 1)).toEqual([
    [9n, 9n],
    [9n, 9n],
    [8n, 9n],
  ])
})
