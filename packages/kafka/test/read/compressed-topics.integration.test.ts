// The broker compresses plain batches with each of Kafka's codecs. Every kind of reader of this package reads them.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { createFetcher } from '../../src/read/fetcher.ts'
import { followTopics } from '../../src/read/follower.ts'
import { createLogScan } from '../../src/read/log-scan.ts'
import { createRangeReader } from '../../src/read/read-range.ts'
import { tailTopic } from '../../src/read/tail.ts'
import { closeWriters, connect, deleteTopicsMade, makeTopic, writeTo } from '../support.ts'

const kafka = connect()
let admin: Admin
const cleanUps: (() => Promise<void>)[] = []

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

const codecs = ['gzip', 'snappy', 'lz4', 'zstd']
/** Some values compress well, and some hardly. The last one needs several blocks in every codec. */
const values = [
  'short',
  'x'.repeat(5_000),
  noise(3_000),
  `${'abc'.repeat(100_000)}${noise(70_000)}`,
]

function noise(length: number): string {
  let state = 7
  const next = () => (state = (state * 48_271) % 2_147_483_647)
  return Array.from({ length }, () => String.fromCharCode(33 + (next() % 90))).join('')
}

const within = { deadlineMs: 60_000, everyMs: 20 }

test.each(codecs)(
  'a topic that Kafka compresses with %s is fetched, followed, tailed, scanned and read',
  async (codec) => {
    // Given
    const topic = await makeTopic(admin, `by-${codec}`, 1, { 'compression.type': codec })
    await writeTo(
      topic,
      ...values.map((value, index) => ({ key: `k${index}`, value, partition: 0 })),
    )
    const fetched: string[] = []
    const followed: string[] = []
    const tailed: string[] = []
    const scanned: string[] = []
    const read: string[] = []

    // When
    const following = createFetcher(kafka).follow(
      { topic, partition: 0, from: 0n, isolation: 'read_committed' },
      {
        onRecords: (records) => fetched.push(...records.map(({ value }) => String(value))),
        onLost: ({ why }) => fetched.push(why),
        onGone: () => fetched.push('gone'),
      },
    )
    cleanUps.push(async () => following.close())
    const follower = followTopics(kafka, {
      topics: [topic],
      onRecord: ({ value }) => followed.push(String(value)),
      onReset: () => undefined,
    })
    cleanUps.push(() => follower.close())
    await follower.start()
    const tail = tailTopic(kafka, {
      topic,
      fromOffsets: [0n],
      onRecords: (_, records) => tailed.push(...records.map(({ value }) => String(value))),
      onStopped: () => undefined,
    })
    cleanUps.push(async () => tail.close())
    const scan = createLogScan(kafka)
    cleanUps.push(() => scan.close())
    await scan.scan(topic, ({ value }) => scanned.push(String(value)))
    const range = createRangeReader(kafka)
    cleanUps.push(() => range.close())
    await range.read({ topic, partition: 0, from: 0n, to: 4n }, (records) => {
      read.push(...records.map(({ value }) => String(value)))
    })
    await pollUntil(() => fetched.length >= values.length && tailed.length >= values.length, {
      ...within,
      what: 'the tail',
    })

    // Then
    expect({ fetched, followed, tailed, scanned, read }).toEqual({
      fetched: values,
      followed: values,
      tailed: values,
      scanned: values,
      read: values,
    })
  },
)
