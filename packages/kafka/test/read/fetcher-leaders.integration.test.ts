// Partitions are followed while their leaders die, move and come back.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

import { createBatchProducer } from '../../src/produce/batch-producer.ts'
import type { BatchProducer } from '../../src/produce/types.ts'
import { createFetcher } from '../../src/read/fetcher.ts'
import type { Following } from '../../src/read/fetcher.ts'
import { openCluster } from '../broker-promises/cluster.ts'
import type { Cluster } from '../broker-promises/cluster.ts'
import { readLog } from '../broker-promises/log.ts'
import { openTopics } from '../broker-promises/topics.ts'
import type { Topics } from '../broker-promises/topics.ts'
import { FIRST, SECOND, startTwoBrokers } from '../broker-promises/two-brokers.ts'
import type { TwoBrokers } from '../broker-promises/two-brokers.ts'
import { lookFromOutside } from '../support-broker.ts'
import type { Outside } from '../support-broker.ts'
import { connect } from '../support.ts'

const within = { deadlineMs: 90_000, everyMs: 20 }
let both: TwoBrokers
let outside: Outside
let topics: Topics
let cluster: Cluster
let producer: BatchProducer
const followings: Following[] = []

beforeAll(async () => {
  both = await startTwoBrokers()
  outside = await lookFromOutside([...both.brokers])
  topics = openTopics(both.brokers)
  cluster = openCluster(both.brokers)
  const limits = { produceTimeoutMs: 90_000, inFlightBytesMax: 1_000_000 }
  producer = createBatchProducer(connect(both.brokers), limits)
}, 180_000)

afterAll(async () => {
  for (const following of followings) following.close()
  await producer.close()
  await cluster.close()
  await topics.close()
  await outside.close()
  await both.stop()
})

type Followed = { readonly topic: string; readonly seen: string[] }

async function follow(what: string, replicas: readonly number[]): Promise<Followed> {
  const topic = await topics.make(what, { replicas })
  const seen: string[] = []
  const following = createFetcher(connect(both.brokers)).follow(
    { topic, partition: 0, from: 0n, isolation: 'read_committed' },
    {
      onRecords: (records) =>
        void seen.push(...records.map(({ offset, value }) => `${offset}=${String(value)}`)),
      onLost: ({ why, from }) => void seen.push(`${why} ${from}`),
      onGone: () => void seen.push('gone'),
    },
  )
  followings.push(following)
  return { topic, seen }
}

const write = (value: string, ...to: readonly Followed[]) =>
  Promise.all(
    to.map(({ topic }) =>
      producer.send(topic, 0, {
        key: 'k',
        value: Buffer.from(value),
        headers: {},
        timestampMs: Date.now(),
      }),
    ),
  )

const haveSeen = (value: string, ...those: readonly Followed[]) =>
  pollUntil(() => those.every(({ seen }) => seen.some((text) => text.endsWith(value))), {
    ...within,
    what: `reading «${value}»`,
  })

async function moveTo(broker: number, ...those: readonly Followed[]): Promise<void> {
  const moves = those.map(({ topic }) => ({
    topic,
    partitionAssignment: [{ partition: 0, replicas: [broker] }],
  }))
  await outside.admin.alterPartitionReassignments({ topics: moves })
  const isMoved = async () => {
    const { topics: found } = await outside.admin.fetchTopicMetadata({
      topics: those.map(({ topic }) => topic),
    })
    return found.every(({ partitions: [one] }) => one?.leader === broker)
  }
  await pollUntil(isMoved, { ...within, what: `leader ${broker}` })
}

async function logOf({ topic }: Followed): Promise<string[]> {
  const log = await readLog(cluster, { topic, partition: 0 })
  return log.flatMap(({ offset, values }) => values.map((value) => `${offset}=${value}`))
}

test('leaders die, move and come back, and everything comes once, in order, from those too that were without one', async () => {
  const [moved, kept, alone] = [
    await follow('moved', [SECOND, FIRST]),
    await follow('kept', [FIRST, SECOND]),
    await follow('alone', [SECOND]),
  ]
  await write('first', moved, kept, alone)
  await haveSeen('first', moved, kept, alone)

  await both.second.killBroker()
  await write('one is dead', moved, kept)
  await haveSeen('one is dead', moved, kept)
  expect(alone.seen).toHaveLength(1)

  await both.second.restartBroker()
  await write('both are back', moved, kept, alone)
  await haveSeen('both are back', moved, kept, alone)

  // Moves the leadership while the former leader keeps running.
  await Promise.all([moveTo(SECOND, moved, kept), moveTo(FIRST, alone)])
  await write('moved', moved, kept, alone)
  await haveSeen('moved', moved, kept, alone)

  for (const one of [moved, kept, alone]) expect(one.seen).toEqual(await logOf(one))
}, 400_000)
