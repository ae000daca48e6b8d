import { expect, test } from '@jest/globals'
import { OpenStreams } from '../../src/h2/open-streams.ts'

/** Opens `count` streams. Some close immediately, others when ten are open. */
function openAndClose(count: number, nth: number) {
  const streams = new OpenStreams<{ readonly id: number }>()
  const expected = new Map<number, { readonly id: number }>()
  const close = (id: number): void => {
    streams.delete(id)
    expected.delete(id)
  }
  for (let id = 1; id < 2 * count; id += 2) {
    const stream = { id }
    streams.add(stream)
    expected.set(id, stream)
    if (id % nth === 0) close(id)
    if (expected.size === 10) close([...expected.keys()][id % 10] ?? 0)
    expect(streams.values()).toEqual([...expected.values()])
  }
  return { streams, expected }
}

test.each([3, 5, 7])('streams may close in any order, and stay sorted by age (%d)', (nth) => {
  const { streams, expected } = openAndClose(200, nth)
  expect(streams.size).toBe(expected.size)
  for (let id = 0; id < 402; id += 1) expect(streams.get(id)).toBe(expected.get(id))
})

test('closing a stream that is not open changes nothing', () => {
  const streams = new OpenStreams<{ readonly id: number }>()
  streams.delete(1)
  streams.add({ id: 3 })
  streams.delete(1)
  streams.delete(5)
  expect(streams.values()).toEqual([{ id: 3 }])
})

test('streams may close while a list of them is read', () => {
  const streams = new OpenStreams<{ readonly id: number }>()
  for (const id of [1, 3, 5]) streams.add({ id })
  for (const { id } of streams.values()) streams.delete(id)
  expect(streams.size).toBe(0)
})
