// When a request of many events must wait, depending on the bytes in flight to Kafka.
import { expect, test } from '@jest/globals'
import { createBacklog } from '../../src/events/backlog.ts'
import type { BacklogShare } from '../../src/events/backlog.ts'

const fill = (share: BacklogShare): number => {
  let taken = 0
  for (; !share.isFull; taken += 1) share.take(488) // 1,000 bytes with the overhead of an event
  return taken
}

test('a request may have its share, and the account’s other requests go on', () => {
  const backlog = createBacklog({ bytesMax: 100_000, shareBytesMax: 25_000 })
  expect(fill(backlog.open('one'))).toBe(25)
  expect(backlog.open('one').isFull).toBe(false)
})

test('an account whose events are stuck leaves room for the requests of others', async () => {
  const backlog = createBacklog({ bytesMax: 100_000, shareBytesMax: 25_000 })
  const [first, last] = [backlog.open('one'), backlog.open('one')]
  const stuck = [first, backlog.open('one'), backlog.open('one'), last]
  expect(stuck.reduce((sum, share) => sum + fill(share), 0)).toBe(88)
  const other = backlog.open('two')
  expect(fill(other)).toBe(11)

  let isWoken = false
  void stuck
    .at(-1)
    ?.change()
    .then(() => (isWoken = true))
  while (!other.isEmpty) other.give(488)
  await Promise.resolve()
  expect(isWoken).toBe(false)
  for (let given = 0; given < 5; given += 1) first.give(488)
  await Promise.resolve()
  expect(isWoken).toBe(true)
  expect(last.isFull).toBe(false)
})
