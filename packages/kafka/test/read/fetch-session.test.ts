import { expect, test } from '@jest/globals'

import { createFetchSession } from '../../src/read/fetch-session.ts'
import type { SessionPartition } from '../../src/read/fetch-session.ts'

const at = (topicId: string, partition: number, from = 0n): SessionPartition => ({
  topicId,
  partition,
  from,
  leaderEpoch: 1,
  lastEpoch: -1,
  bytesMax: 1,
})

/**
 * Returns the next request in a short form. `7/2: a1@5 -b0` means session 7, epoch 2, fetch topic a's partition 1 from
 * 5, forget topic b's partition 0.
 */
function saidNext(session: ReturnType<typeof createFetchSession>): string | undefined {
  const told = session.next()
  if (told === undefined) return undefined
  const wanted = told.topics.flatMap(({ topicId, partitions }) =>
    partitions.map(({ partition, from }) => `${topicId}${partition}@${from}`),
  )
  const without = told.forgotten.flatMap(({ topicId, partitions }) =>
    partitions.map((partition) => `-${topicId}${partition}`),
  )
  return [`${told.session.id}/${told.session.epoch}:`, ...wanted, ...without].join(' ')
}

test('the first request says everything, the next ones only what has changed', () => {
  const session = createFetchSession()
  session.put(at('a', 0))
  session.put(at('a', 1))
  session.put(at('b', 0))
  expect(saidNext(session)).toBe('0/0: a0@0 a1@0 b0@0')
  session.answered(7)
  expect(saidNext(session)).toBe('7/1:')
  session.answered(7)

  session.put(at('a', 1, 5n))
  session.drop(at('b', 0))
  session.put(at('c', 0))
  expect(saidNext(session)).toBe('7/2: a1@5 c0@0 -b0')
  session.answered(7)
  expect(saidNext(session)).toBe('7/3:')
})

test('what is dropped and comes back before a request is never said to be dropped', () => {
  const session = createFetchSession()
  session.put(at('a', 0))
  session.next()
  session.answered(7)

  session.drop(at('a', 0))
  session.put(at('a', 0, 3n))
  expect(saidNext(session)).toBe('7/1: a0@3')
})

test('what came and went between two requests is only said to be gone', () => {
  const session = createFetchSession()
  session.put(at('a', 0))
  session.next()
  session.answered(7)

  session.put(at('b', 0))
  session.drop(at('b', 0))
  expect(saidNext(session)).toBe('7/1: -b0')
})

test('a lost session is replaced by a new one with everything that is wanted by then', () => {
  const session = createFetchSession()
  session.put(at('a', 0))
  session.put(at('b', 0))
  session.next()
  session.answered(7)
  session.put(at('a', 0, 9n))
  session.drop(at('b', 0))
  session.next()

  session.lost()
  expect(saidNext(session)).toBe('7/0: a0@9')
  session.answered(8)
  expect(saidNext(session)).toBe('8/1:')
})

test('while the broker has no room for a session, each request says everything', () => {
  const session = createFetchSession()
  session.put(at('a', 0))
  for (const _ of [1, 2]) {
    expect(saidNext(session)).toBe('0/0: a0@0')
    session.answered(0)
  }
})

test('nothing is asked for nobody', () => {
  const session = createFetchSession()
  expect(session.next()).toBeUndefined()
  session.put(at('a', 0))
  session.next()
  session.answered(7)
  session.drop(at('a', 0))
  expect(session.next()).toBeUndefined()

  session.put(at('b', 0))
  expect(saidNext(session)).toBe('7/1: b0@0 -a0')
})
