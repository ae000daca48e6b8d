// Partitions followed from a real broker: which records arrive, in which order, and what is reported if records are
// lost.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from 'kafkajs'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import type { Isolation } from '../../src/connect/topic-calls.ts'
import { createFetcher } from '../../src/read/fetcher.ts'
import type { Following } from '../../src/read/fetcher.ts'
import { connectOverNetwork } from '../network.ts'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  makeTopic,
  plainKafka,
  readRecords,
  removeRecordsBefore,
  uniqueName,
  writeTo,
} from '../support.ts'

const kafka = connect()
let admin: Admin
const cleanUps: (() => unknown)[] = []
const within = { deadlineMs: 60_000, everyMs: 10 }

beforeAll(() => {
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

type Followed = {
  readonly following: Following
  readonly seen: string[]
  readonly told: string[]
  next(): bigint
  end(): bigint
}

type Options = {
  partition?: number
  from?: bigint
  isolation?: Isolation
  over?: typeof kafka
  onRecords?(following: Following): void
}

function follow(topic: string, options: Options = {}): Followed {
  const { partition = 0, from = 0n, isolation = 'read_committed', over = kafka } = options
  const seen: string[] = []
  const told: string[] = []
  let [next, end] = [from, 0n]
  const following = createFetcher(over).follow(
    { topic, partition, from, isolation },
    {
      onRecords(records, nextNow, endNow) {
        options.onRecords?.(following)
        ;[next, end] = [nextNow, endNow]
        for (const { offset, value } of records) seen.push(`${offset}=${String(value)}`)
      },
      onLost: ({ why, from: at }) => told.push(`${why} ${at}`),
      onGone: () => told.push('gone'),
    },
  )
  cleanUps.push(following.close)
  return { following, seen, told, next: () => next, end: () => end }
}

const write = (topic: string, ...values: string[]) =>
  writeTo(topic, ...values.map((value) => ({ partition: 0, value })))

async function begin(): Promise<Transaction> {
  const transactionalId = uniqueName('writer')
  const writer = plainKafka().producer({ transactionalId, maxInFlightRequests: 1 })
  await writer.connect()
  cleanUps.push(() => writer.disconnect())
  return writer.transaction()
}

const send = (transaction: Transaction, topic: string, value: string) =>
  transaction.send({ topic, messages: [{ partition: 0, value }] })

test('records come in order from the offset on, what is there and what is yet to come', async () => {
  const topic = await makeTopic(admin, 'fetch', 1)
  await write(topic, 'a', 'b', 'c')
  const { seen, next, end } = follow(topic, { from: 1n })
  await pollUntil(() => seen.length === 2, within)
  for (const value of ['d', 'e', 'f']) await write(topic, value)
  await pollUntil(() => seen.length === 5, within)

  expect(seen).toEqual(['1=b', '2=c', '3=d', '4=e', '5=f'])
  expect([next(), end()]).toEqual([6n, 6n])
})

test('of interleaved transactions the committed records come, and the position passes the rest', async () => {
  // Given transactions that end in another order than they began
  const topic = await makeTopic(admin, 'fetch-txn', 1)
  const [one, two, three] = [await begin(), await begin(), await begin()]
  const committed = follow(topic)
  const all = follow(topic, { isolation: 'read_uncommitted' })

  // When
  await send(one, topic, 'aborted')
  await send(two, topic, 'committed')
  await send(three, topic, 'aborted')
  await three.abort()
  await send(two, topic, 'committed')
  await send(one, topic, 'aborted')
  await pollUntil(() => all.seen.length === 5, within)
  expect(committed.seen).toEqual([])
  await one.abort()
  await two.commit()

  // Then
  await pollUntil(() => committed.next() === 8n && all.next() === 8n, within)
  const values = ({ seen }: Followed) => seen.map((text) => text.split('=')[1])
  expect(values(committed)).toEqual(['committed', 'committed'])
  expect(values(all)).toEqual(['aborted', 'committed', 'aborted', 'committed', 'aborted'])
})

test('several who follow one partition get the same, wherever they begin', async () => {
  const topic = await makeTopic(admin, 'fetch-shared', 1)
  await write(topic, 'a', 'b', 'c')
  const all = [follow(topic), follow(topic, { from: 2n }), follow(topic)]
  await pollUntil(() => all.every(({ next }) => next() === 3n), within)
  await write(topic, 'd')
  await pollUntil(() => all.every(({ next }) => next() === 4n), within)

  expect(all.map(({ seen }) => seen)).toEqual([
    ['0=a', '1=b', '2=c', '3=d'],
    ['2=c', '3=d'],
    ['0=a', '1=b', '2=c', '3=d'],
  ])
})

test('who pauses gets nothing more, holds up nobody, and goes on where it was', async () => {
  const topic = await makeTopic(admin, 'fetch-pause', 2)
  const paused = follow(topic, { onRecords: (following) => following.pause() })
  const other = follow(topic, { partition: 1 })
  await write(topic, 'a')
  await pollUntil(() => paused.seen.length === 1, within)

  await write(topic, 'b', 'c')
  await writeTo(topic, { partition: 1, value: 'x' })
  await pollUntil(() => other.seen.length === 1, within)
  expect(paused.seen).toEqual(['0=a'])

  paused.following.resume()
  await pollUntil(() => paused.seen.length === 3, within)
  expect(paused.seen).toEqual(['0=a', '1=b', '2=c'])
})

test('who seeks goes on there, forward and back', async () => {
  const topic = await makeTopic(admin, 'fetch-seek', 1)
  await write(topic, 'a', 'b', 'c')
  const { following, seen } = follow(topic, { from: 2n })
  await pollUntil(() => seen.length === 1, within)

  following.seek(0n)
  await pollUntil(() => seen.length === 4, within)
  expect(seen).toEqual(['2=c', '0=a', '1=b', '2=c'])
})

test('records larger than a fetch come, and a long log comes whole', async () => {
  const topic = await makeTopic(admin, 'fetch-large', 1, { 'max.message.bytes': '4194304' })
  const large = 'x'.repeat(900_000)
  for (let index = 0; index < 8; index += 1) await write(topic, large, large, large)
  const { seen } = follow(topic)

  await pollUntil(() => seen.length === 24, within)
  expect(seen.map((text) => text.split('=')[0])).toEqual(
    Array.from({ length: 24 }, (_, i) => `${i}`),
  )
})

test('what retention has removed is told, and skipped only by who says so', async () => {
  const topic = await makeTopic(admin, 'fetch-removed', 1)
  await write(topic, 'a', 'b', 'c')
  await removeRecordsBefore(topic, 0, 2n)
  const { following, seen, told } = follow(topic)
  await pollUntil(() => told.length > 0, within)
  expect([seen, told]).toEqual([[], ['removed 2']])

  following.seek(2n)
  await pollUntil(() => seen.length > 0, within)
  expect(seen).toEqual(['2=c'])
})

test('who is past the end of the log is told where it ends', async () => {
  const topic = await makeTopic(admin, 'fetch-past', 1)
  await write(topic, 'a')
  const { told } = follow(topic, { from: 5n })
  await pollUntil(() => told.length > 0, within)
  expect(told).toEqual(['cut 1'])
})

test('a topic that is gone, made again or never there ends the following, and nobody else’s', async () => {
  // Given
  const names = ['fetch-gone', 'fetch-again', 'fetch-kept']
  const [gone = '', again = '', kept = ''] = await Promise.all(
    names.map((name) => makeTopic(admin, name, 1)),
  )
  const all = [gone, again, uniqueName('never'), kept].map((topic) => follow(topic))
  for (const topic of [gone, again, kept]) await write(topic, 'a')
  await pollUntil(() => [0, 1, 3].every((index) => all[index]?.seen.length === 1), within)

  // When
  await Promise.all([gone, again].map((topic) => admin.topics.delete(topic)))
  await admin.topics.create({ topic: again, partitions: 1 })
  await write(again, 'b', 'c')
  await pollUntil(() => [0, 1, 2].every((index) => all[index]?.told.length === 1), within)
  await write(kept, 'b')
  await pollUntil(() => all[3]?.seen.length === 2, within)

  // Then
  expect(all.map(({ told }) => told)).toEqual([['gone'], ['gone'], ['gone'], []])
  expect(all.map(({ seen }) => seen)).toEqual([['0=a'], ['0=a'], [], ['0=a', '1=b']])
})

test('what a follower throws at comes again, and nothing after it before', async () => {
  const topic = await makeTopic(admin, 'fetch-throw', 1)
  let refusals = 0
  const { seen } = follow(topic, {
    onRecords: () => {
      if (refusals++ < 2) throw new Error('not now')
    },
  })
  await write(topic, 'a', 'b')
  await pollUntil(() => seen.length === 2, within)

  expect(seen).toEqual(['0=a', '1=b'])
})

test('a cut network loses and doubles nothing, and three connections do for fetching', async () => {
  // Given
  const topic = await makeTopic(admin, 'fetch-cut', 5)
  const partitions = [0, 1, 2, 3, 4]
  const network = await connectOverNetwork()
  const all = partitions.map((partition) => follow(topic, { partition, over: network.kafka }))
  const isRead = async () => {
    const ends = await admin.offsets.ends(topic, { isolation: 'read_committed' })
    return all.every(({ next }, partition) => next() === ends[partition])
  }

  // When
  for (let round = 0; round < 12; round += 1) {
    if (round % 2 === 1) network.cut()
    await writeTo(topic, ...partitions.map((partition) => ({ partition, value: `${round}` })))
    network.mend()
    if (round % 3 === 0) await pollUntil(isRead, within)
    expect(network.size()).toBeLessThanOrEqual(4)
  }
  await pollUntil(isRead, within)

  // Then
  const log = await readRecords(topic)
  const logged = partitions.map((one) => log.filter(({ partition }) => partition === one))
  expect(all.map(({ seen }) => seen)).toEqual(
    logged.map((records) => records.map(({ offset, value }) => `${offset}=${String(value)}`)),
  )
})

test('after the last one has closed, no connection is left', async () => {
  const topic = await makeTopic(admin, 'fetch-close', 1)
  const network = await connectOverNetwork()
  const [one, two] = [
    follow(topic, { over: network.kafka }),
    follow(topic, { over: network.kafka }),
  ]
  await write(topic, 'a')
  await pollUntil(() => one.seen.length === 1 && two.seen.length === 1, within)

  one.following.close()
  await write(topic, 'b')
  await pollUntil(() => two.seen.length === 2, within)
  expect(one.seen).toEqual(['0=a'])
  two.following.close()
  await pollUntil(() => network.size() === 0, within)
})
