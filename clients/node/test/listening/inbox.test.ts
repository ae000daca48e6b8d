// The queue of events that wait for their reader.
import { expect, test } from '@jest/globals'
import { createInbox } from '../../src/listening/inbox.ts'

test('it says when it is full, and when half of it is room again', async () => {
  let rooms = 0
  const inbox = createInbox<number>(4, () => (rooms += 1))
  expect([1, 2, 3, 4, 5].map((event) => inbox.put(event))).toEqual([true, true, true, false, false])
  expect([await inbox.take(), await inbox.take(), rooms]).toEqual([1, 2, 0])
  expect([await inbox.take(), rooms]).toEqual([3, 1])
})

test('thousands of events keep their order, whoever is faster', async () => {
  const inbox = createInbox<number>(10, () => undefined)
  const taken: (number | undefined)[] = []
  for (let number = 0; number < 5_000; number += 1) {
    inbox.put(number)
    if (number % 3 !== 0) taken.push(await inbox.take())
  }
  inbox.end()
  for (let event = await inbox.take(); event !== undefined; event = await inbox.take())
    taken.push(event)
  expect(taken).toEqual(Array.from({ length: 5_000 }, (_, number) => number))
})

test('who waits gets what comes, the end, or the reason of the end after the last event', async () => {
  const first = createInbox<string>(4, () => undefined)
  const waiting = first.take()
  first.put('one')
  expect(await waiting).toBe('one')
  const atEnd = first.take()
  first.end()
  expect(await atEnd).toBeUndefined()
  const second = createInbox<string>(4, () => undefined)
  second.put('last')
  second.end(new Error('gone'))
  expect(await second.take()).toBe('last')
  await expect(second.take()).rejects.toThrow('gone')
})
