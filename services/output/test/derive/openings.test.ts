import { expect, test } from '@jest/globals'
import { createOpenings } from '../../src/derive/openings.ts'

function setUp() {
  let keys = 10n
  const openings = createOpenings({ positions: () => ({ control: 5n, keys }) })
  return { ...openings, follow: (to: bigint) => void (keys = to) }
}

test('with nothing opened, a replica is as far as its tables', () => {
  const { positions, follow } = setUp()
  follow(12n)
  expect(positions()).toEqual({ control: 5n, keys: 12n })
})

test('it is no further than the oldest keys with which something was opened that may still be committed', () => {
  const { begin, positions, follow } = setUp()
  const endFirst = begin()
  follow(12n)
  const endSecond = begin()
  follow(20n)
  expect(positions().keys).toBe(10n)
  endFirst()
  expect(positions().keys).toBe(12n)
  endSecond()
  endSecond()
  expect(positions().keys).toBe(20n)
})
