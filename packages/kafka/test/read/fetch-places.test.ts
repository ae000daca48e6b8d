// Which partitions are fetched, and from which broker. No broker runs.
import { expect, test } from '@jest/globals'
import { ProtocolError } from '@platformatic/kafka'

import { newReader } from '../../src/read/fetch-reader.ts'
import type { FollowTarget, Reader } from '../../src/read/fetch-reader.ts'
import { leaderIn } from '../../src/read/find-leaders.ts'
import { turnOf } from '../../src/read/pool-loop.ts'

const sink = { onRecords: () => undefined, onLost: () => undefined, onGone: () => undefined }

function reader(target: Partial<FollowTarget> = {}, changes: Partial<Reader> = {}): Reader {
  const whole = { topic: 't', partition: 0, from: 0n, isolation: 'read_committed' as const }
  const leader = { topicId: 'i', broker: 1, epoch: 1 }
  return { ...newReader({ ...whole, ...target }, sink), leader, ...changes }
}

const partition = { partition: 0, leader: 2, leaderEpoch: 5, replicas: [2] }
const state = {
  topics: new Map([
    ['t', { id: 'i', partitions: [partition, { ...partition, partition: 1, leader: undefined }] }],
  ]),
  faults: new Map([['broken', new ProtocolError(29)]]),
}
const found = { topicId: 'i', broker: 2, epoch: 5 }

test.each([
  ['there', { topic: 't', partition: 0, topicId: undefined }, found],
  ['there, and the same as before', { topic: 't', partition: 0, topicId: 'i' }, found],
  ['without a leader', { topic: 't', partition: 1, topicId: 'i' }, 'none'],
  ['not in the topic', { topic: 't', partition: 7, topicId: 'i' }, 'none'],
  ['of another topic of that name', { topic: 't', partition: 0, topicId: 'j' }, 'gone?'],
  ['of a topic that is not known', { topic: 'u', partition: 0, topicId: undefined }, 'gone?'],
  ['of a topic that may not be seen', { topic: 'broken', partition: 0, topicId: 'i' }, 'none'],
] as const)('a partition that is %s', (_, wanted, outcome) => {
  expect(leaderIn(state, wanted)).toEqual(outcome)
})

test('a round of the pool takes each partition once, and one isolation', () => {
  const [one, again] = [reader(), reader()]
  const other = reader({ partition: 1 })
  const uncommitted = reader({ partition: 2, isolation: 'read_uncommitted' })
  expect([...turnOf([one, again, other, uncommitted], 0).values()]).toEqual([one, other])
  expect([...turnOf([uncommitted, one, again], 0).values()]).toEqual([uncommitted])
})

test('who has to wait is not asked for', () => {
  const waiting = reader({}, { notBeforeMs: 10 })
  expect(turnOf([waiting], 9).size).toBe(0)
  expect(turnOf([waiting], 10).size).toBe(1)
})
