import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from 'kafkajs'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { followTopics } from '../../src/read/follower.ts'
import type { FollowOptions, Follower } from '../../src/read/follower.ts'
import { connectOverNetwork } from '../network.ts'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  writeTo,
  makeTopic,
  plainKafka,
  uniqueName,
} from '../support.ts'

const kafka = connect()
let admin: Admin
const cleanUps: (() => Promise<void>)[] = []

beforeAll(async () => {
  admin = createAdmin(kafka)
})

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

afterAll(async () => {
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
})

type Followed = { follower: Follower; seen: string[]; resets: () => number }

function follow(topics: string[], options: Partial<FollowOptions> = {}, over = kafka): Followed {
  const seen: string[] = []
  let resets = 0
  const follower = followTopics(over, {
    topics,
    onRecord: ({ key, value }) => seen.push(`${key}=${value?.toString() ?? 'gone'}`),
    onReset: () => {
      resets += 1
      seen.length = 0
    },
    ...options,
  })
  cleanUps.push(() => follower.close())
  return { follower, seen, resets: () => resets }
}

function write(topic: string, ...records: [string, string | null][]): Promise<void> {
  return writeTo(topic, ...records.map(([key, value]) => ({ key, value })))
}

async function begin(transactionalId: string): Promise<Transaction> {
  const writer = plainKafka().producer({ transactionalId, maxInFlightRequests: 1 })
  await writer.connect()
  cleanUps.push(() => writer.disconnect())
  return writer.transaction()
}

const send = (transaction: Transaction, topic: string, key: string) =>
  transaction.send({ topic, messages: [{ key, value: key }] })

test('a follower reads topics from their start, tombstones too, and then what is written', async () => {
  // Given
  const [one, two] = [await makeTopic(admin, 'follow', 1), await makeTopic(admin, 'follow', 1)]
  await write(one, ['a', '1'], ['b', '1'], ['a', null])
  await write(two, ['c', '1'])
  const { follower, seen } = follow([one, two])

  // When
  await follower.start()

  // Then
  expect(follower.isFresh()).toBe(true)
  expect(follower.position(one)).toBe(3n)
  expect(seen.filter((record) => !record.startsWith('c'))).toEqual(['a=1', 'b=1', 'a=gone'])
  expect(seen).toContain('c=1')

  // When
  await write(one, ['d', '2'])
  await follower.catchUp([one])

  // Then
  expect(seen.at(-1)).toBe('d=2')
})

test('of writers that fence one another only what they committed is seen', async () => {
  // Given
  const topic = await makeTopic(admin, 'follow-txn', 1, { 'cleanup.policy': 'compact' })
  const id = uniqueName('writer')
  const first = await begin(id)
  await send(first, topic, 'aborted-1')
  await first.abort()
  const second = await begin(id)
  await send(second, topic, 'committed-2')
  await second.commit()
  const fenced = await begin(id)
  await send(fenced, topic, 'fenced-3')
  const fourth = await begin(id)
  await send(fourth, topic, 'committed-4')
  await expect(send(fenced, topic, 'fenced-3-late')).rejects.toMatchObject({
    type: 'INVALID_PRODUCER_EPOCH',
  })
  await fourth.commit()
  const last = await begin(id)
  await send(last, topic, 'aborted-5')
  await last.abort()
  const { follower, seen } = follow([topic])

  // When
  await follower.start()

  // Then
  expect(seen).toEqual(['committed-2=committed-2', 'committed-4=committed-4'])
  expect([follower.position(topic)]).toEqual(
    await admin.offsets.ends(topic, { isolation: 'read_committed' }),
  )

  // When only an aborted transaction follows
  const empty = await begin(id)
  await send(empty, topic, 'aborted-6')
  await empty.abort()
  await follower.catchUp()

  // Then
  expect(seen).toHaveLength(2)
})

test('a transaction left open holds back neither its writer nor those who wait for the end', async () => {
  // Given
  const topic = await makeTopic(admin, 'follow-open', 1)
  const { follower, seen } = follow([topic])
  await follower.start()
  const open = await begin(uniqueName('writer'))
  await send(open, topic, 'open')

  // When
  await follower.catchUp()

  // Then
  expect(seen).toEqual([])
  await open.commit()
  await pollUntil(() => seen.length === 1, { deadlineMs: 60_000, everyMs: 5 })
})

test('after an outage a follower goes on exactly where it was', async () => {
  // Given
  const topic = await makeTopic(admin, 'follow-cut', 1)
  await write(topic, ['a', '1'])
  const network = await connectOverNetwork()
  const { follower, seen, resets } = follow([topic], { catchUpTimeoutMs: 500 }, network.kafka)
  await follower.start()

  // When
  network.cut()
  await write(topic, ['b', '1'])

  // Then
  await expect(follower.catchUp()).rejects.toMatchObject({ code: 'kafka.unavailable' })
  expect(seen).toEqual(['a=1'])

  // When
  network.mend()
  await pollUntil(() => seen.includes('b=1'), { deadlineMs: 60_000 })

  // Then
  expect(seen).toEqual(['a=1', 'b=1'])
  expect(resets()).toBe(0)
})

test('a topic made again is followed from its start, after a reset', async () => {
  // Given
  const topic = await makeTopic(admin, 'follow-again', 1)
  await write(topic, ['a', '1'], ['b', '1'])
  const { follower, seen, resets } = follow([topic])
  await follower.start()

  // When
  await admin.topics.delete(topic)
  await admin.topics.create({ topic, partitions: 1 })
  await write(topic, ['c', '1'])
  await pollUntil(() => seen.includes('c=1'), { deadlineMs: 60_000 })

  // Then
  expect(seen).toEqual(['c=1'])
  expect(resets()).toBe(1)
})

test('a follower waits for topics that are yet to be made', async () => {
  // Given
  const topic = uniqueName('follow-later')
  const { follower, seen } = follow([topic])
  const started = follower.start()
  expect(follower.isFresh()).toBe(false)
  expect(await admin.topics.exists(topic)).toBe(false)

  // When
  await admin.topics.create({ topic, partitions: 1 })
  await write(topic, ['a', '1'])
  await started

  // Then: (the follower may start before the record is written)
  await pollUntil(() => seen.length > 0, { deadlineMs: 60_000 })
  expect(seen).toEqual(['a=1'])
  await admin.topics.delete(topic)
})

test('after a gap that could hide tombstones, tables start over empty', async () => {
  // Given
  const topic = await makeTopic(admin, 'follow-gap', 1)
  await write(topic, ['a', '1'])
  const { follower, seen, resets } = follow([topic], { deleteRetentionMs: 2_000 })
  await follower.start()

  // When
  await pollUntil(() => write(topic, ['b', '1']).then(() => resets() > 0), {
    deadlineMs: 60_000,
    everyMs: 300,
  })
  await follower.catchUp()

  // Then
  expect(seen.slice(0, 2)).toEqual(['a=1', 'b=1'])
})

test('a record that cannot be taken is offered again, and nothing after it before', async () => {
  // Given
  const topic = await makeTopic(admin, 'follow-throw', 1)
  await write(topic, ['a', '1'], ['b', '1'], ['c', '1'])
  const taken: string[] = []
  let refusals = 0
  const { follower } = follow([topic], {
    onRecord: ({ key }) => {
      if (key === 'b' && refusals++ < 2) throw new Error('not now')
      taken.push(key)
    },
  })

  // When
  await follower.start()

  // Then
  expect(taken).toEqual(['a', 'b', 'c'])
  expect(refusals).toBe(3)
})

test('closing is quick, also while nothing answers', async () => {
  const network = await connectOverNetwork()
  network.cut()
  const { follower } = follow([uniqueName('follow-close')], {}, network.kafka)
  const started = follower.start()

  const [start, close] = await Promise.allSettled([started, follower.close()])

  expect(close.status).toBe('fulfilled')
  expect(start).toMatchObject({ reason: { code: 'kafka.unavailable' } })
})
