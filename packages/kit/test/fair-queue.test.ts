import { expect, test } from '@jest/globals'
import { createFairQueue } from '../src/index.ts'

test('each party keeps its order, and has a turn after each of another’s', () => {
  const queue = createFairQueue<string>()
  for (const item of ['l1', 'l2', 'l3', 'l4']) queue.push('loud', item)
  for (const item of ['q1', 'q2']) queue.push('quiet', item)
  expect([1, 2, 3].map(() => queue.shift())).toEqual(['l1', 'q1', 'l2'])
  queue.push('late', 'n1')
  expect([1, 2, 3, 4, 5].map(() => queue.shift())).toEqual(['q2', 'l3', 'n1', 'l4', undefined])
})

test('who has just had a turn waits for a newcomer', () => {
  const queue = createFairQueue<string>()
  queue.push('loud', 'l1')
  expect(queue.shift()).toBe('l1')
  for (const item of ['l2', 'l3']) queue.push('loud', item)
  queue.push('quiet', 'q1')
  expect([1, 2, 3, 4].map(() => queue.shift())).toEqual(['q1', 'l2', 'l3', undefined])
})
