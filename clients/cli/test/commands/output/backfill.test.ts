import { expect, test } from '@jest/globals'
import { backfilled } from '../../../src/commands/output/backfill.ts'

const at = (partition: number, next: number, end: number) => ({ partition, next, end })

test('a backfill is over when it has passed the ends that were there at first, whatever has come since', () => {
  const first = [at(0, 10, 110), at(1, 0, 50), at(2, 7, 7)]
  expect(backfilled(first, first)).toEqual({ done: 0, total: 150 })
  expect(backfilled(first, [at(0, 60, 900), at(1, 50, 60), at(2, 7, 9)])).toEqual({
    done: 100,
    total: 150,
  })
  expect(backfilled(first, [at(0, 120, 900), at(1, 55, 60), at(2, 7, 9)])).toEqual({
    done: 150,
    total: 150,
  })
  expect(backfilled(first, [])).toEqual({ done: 0, total: 150 })
})
