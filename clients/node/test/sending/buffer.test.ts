// The buffer's order, batches and bounds.
import { expect, test } from '@jest/globals'
import { createBuffer } from '../../src/sending/buffer.ts'
import type { Pending } from '../../src/sending/pending.ts'

const pendingOf = (number: number, length = 1): Pending => ({
  number,
  bytes: Buffer.alloc(length),
  deadlineMs: 0,
  resolve: () => undefined,
  reject: () => undefined,
  state: 'waiting',
  tries: 0,
  mayBeStored: false,
  tokensRefused: 0,
})
const numbers = (events: readonly Pending[]): number[] => events.map(({ number }) => number)
const endless = { events: 1_000_000, bytes: 1_000_000_000 }

test('batches are bounded in events and octets, and hold one event at least', () => {
  const buffer = createBuffer(endless)
  for (const [number, length] of [3, 3, 10, 2, 2, 2].entries())
    buffer.add(pendingOf(number, length))
  const batches = Array.from({ length: 5 }, () =>
    numbers(buffer.queue.takeBatch({ events: 2, bytes: 6 })),
  )
  expect(batches).toEqual([[0, 1], [2], [3, 4], [5], []])
})

test('what is sent again comes first, in the order in which it was sent; what is settled comes no more', () => {
  const buffer = createBuffer(endless)
  for (let number = 0; number < 6; number += 1) buffer.add(pendingOf(number))
  const [zero, one, two, three] = buffer.queue.takeBatch({ events: 4, bytes: 100 })
  if (!zero || !one || !two || !three) throw new Error('there were four')
  buffer.settle(one)
  buffer.queue.putBack([two, three])
  buffer.queue.putBack([zero, one])
  buffer.settle(two)
  expect(numbers(buffer.queue.takeBatch({ events: 9, bytes: 100 }))).toEqual([0, 3, 4, 5])
})

test('thousands of events keep their order', () => {
  const buffer = createBuffer(endless)
  const taken: number[] = []
  for (let number = 0; number < 10_000; number += 1) {
    buffer.add(pendingOf(number))
    if (number % 3 === 2) taken.push(...numbers(buffer.queue.takeBatch({ events: 3, bytes: 100 })))
  }
  taken.push(...numbers(buffer.queue.takeBatch({ events: 9, bytes: 100 })))
  expect(taken).toEqual(Array.from({ length: 10_000 }, (_, number) => number))
})

test.each([
  ['events', { events: 2, bytes: 1_000 }, 1],
  ['octets', { events: 1_000, bytes: 20 }, 10],
])('it is full of %s, and has room again once something is settled', async (_what, max, length) => {
  const buffer = createBuffer(max)
  const first = pendingOf(0, length)
  buffer.add(first)
  await buffer.room.ready()
  buffer.add(pendingOf(1, length))
  let isReady = false
  const ready = buffer.room.ready().then(() => (isReady = true))
  await new Promise(setImmediate)
  expect(isReady).toBe(false)
  buffer.settle(first)
  await ready
  expect(buffer.room.size()).toEqual({ events: 1, bytes: length })
  for (let number = 2; number < 23; number += 1) {
    expect(buffer.room.isOverfull()).toBe(false)
    buffer.add(pendingOf(number, length))
  }
  expect(buffer.room.isOverfull()).toBe(true)
})

test('it tells whether a batch is full: of what waits, not of what is under way, rests or is settled', () => {
  const buffer = createBuffer(endless)
  const max = { events: 3, bytes: 10 }
  const events = [0, 1, 2, 3].map((number) => pendingOf(number))
  for (const each of events.slice(0, 2)) buffer.add(each)
  expect(buffer.queue.hasBatch(max)).toBe(false)
  for (const each of events.slice(2)) buffer.add(each)
  expect(buffer.queue.hasBatch(max)).toBe(true)
  const taken = buffer.queue.takeBatch({ events: 2, bytes: 10 })
  expect(buffer.queue.hasBatch(max)).toBe(false)
  buffer.queue.putBack(taken)
  expect(buffer.queue.hasBatch(max)).toBe(true)
  for (const each of events.slice(0, 2)) buffer.settle(each)
  expect(buffer.queue.hasBatch(max)).toBe(false)
  buffer.add(pendingOf(4, 10))
  expect(buffer.queue.hasBatch(max)).toBe(true)
})

test('a flush waits for what was sent before it, and for nothing else', async () => {
  const buffer = createBuffer(endless)
  const [first, second, third] = [pendingOf(0), pendingOf(1), pendingOf(2)]
  buffer.add(first)
  buffer.add(second)
  let isFlushed = false
  const flushed = buffer.room.flushed().then(() => (isFlushed = true))
  buffer.add(third)
  buffer.settle(second)
  await new Promise(setImmediate)
  expect(isFlushed).toBe(false)
  buffer.settle(first)
  await flushed
  await createBuffer(endless).room.flushed()
})
