import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { addWithdrawn, withdrawnIn, withdrawnPartOf } from '../src/withdrawn.ts'

const link = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
const [first, middle, last] = [
  link('a000000000000000'),
  link('a77f000000000001'),
  link('afffffffffffffff'),
]

test('the levels of a link are found among those of others, each once and in order', () => {
  const one = addWithdrawn(undefined, [{ link: middle, levels: [255, 2] }])
  const part = addWithdrawn(one, [
    { link: last, levels: [0] },
    { link: first, levels: [1, 7] },
    { link: middle, levels: [2, 3] },
  ])
  expect(withdrawnIn(part, first)).toEqual([1, 7])
  expect(withdrawnIn(part, middle)).toEqual([2, 3, 255])
  expect(withdrawnIn(part, last)).toEqual([0])
  expect(withdrawnIn(part, link('a77f000000000002'))).toEqual([])
  expect(withdrawnIn(undefined, first)).toEqual([])
  expect(part.toString('hex', 0, 9)).toBe('a00000000000000001')
})

test('what is there already changes no byte', () => {
  const part = addWithdrawn(undefined, [{ link: first, levels: [1] }])
  expect(addWithdrawn(part, [{ link: first, levels: [1] }])).toEqual(part)
})

test('a thousand random links each have what was added, and no other', () => {
  const all = Array.from({ length: 1_000 }, (_, nth) => ({
    link: new Uint8Array(randomBytes(8)),
    levels: [nth % 256],
  }))
  const half = addWithdrawn(undefined, all.slice(0, 500))
  const part = addWithdrawn(half, all.slice(500))
  for (const { link: each, levels } of all) expect(withdrawnIn(part, each)).toEqual(levels)
  expect(withdrawnIn(part, randomBytes(8))).toEqual([])
})

test('a part lies under the first digit of its links, and one that was cut off is not read', () => {
  expect(withdrawnPartOf(middle)).toBe('withdrawn.a')
  expect(() => withdrawnIn(Buffer.alloc(10), middle)).toThrow('withdrawn')
})
