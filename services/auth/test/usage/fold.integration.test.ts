// Folding old minutes into one record per day. The test has its own topic prefix. auth finds records by
// their timestamps, so the test writes records with old timestamps.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { createBatchProducer } from '@weir/kafka'
import type { BatchProducer } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import {
  dayKey,
  dayOf,
  minuteOf,
  parseUsage,
  usageKey,
  usagePartitionOf,
  usagePartitions,
  usageTopic,
  usageValue,
} from '@weir/control-state'
import { createTopicReader } from '@weir/testkit'
import { makeAccount, startAuth, startAuthEnv, textOf } from '../support.ts'
import type { Account } from '../support.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
const nowMs = Date.now()
const oldDayMs = Math.floor((nowMs - 40 * dayMs) / dayMs) * dayMs

const reader = createTopicReader(startAuthEnv)

let auth: Service
let account: Account
let producer: BatchProducer

beforeAll(async () => {
  const { kafka, admin } = reader
  // With CreateTime, old records keep their time. auth doesn't change a setting that somebody has set.
  const config = { 'cleanup.policy': 'compact', 'message.timestamp.type': 'CreateTime' }
  await admin.topics.create({ topic: usageTopic, partitions: usagePartitions, config })
  producer = createBatchProducer(kafka, { produceTimeoutMs: 10_000, inFlightBytesMax: 1_000_000 })
  auth = await startAuth()
  account = await makeAccount(auth)
})

afterAll(async () => {
  await producer?.close()
  await auth?.stop()
  await reader.close()
})

async function count(key: string, atMs: number, events: number): Promise<void> {
  const streamId = key.slice(0, key.indexOf('/'))
  await producer.send(usageTopic, usagePartitionOf(streamId), {
    key,
    value: usageValue({ events, bytes: events * 100, refused: { undecodable: 1 } }),
    headers: {},
    timestampMs: atMs,
  })
}

/** Returns the last value of each key of a stream. */
async function tableOf(streamId: string): Promise<Record<string, unknown>> {
  const table: Record<string, unknown> = {}
  for (const { key, value } of await reader.read(usageTopic))
    if (String(key).startsWith(`${streamId}/`))
      table[String(key)] = value === null ? null : parseUsage(String(key), value)
  return table
}

async function makeStream(name: string, isRight: (streamId: string) => boolean): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    expect((await account.post('/v2/streams', { name: `${name}-${tries}` })).status).toBe(201)
    const { json } = await account.get(`/v2/streams/${name}-${tries}`)
    if (isRight(textOf(json, 'streamId'))) return textOf(json, 'streamId')
  }
}

/** Starts a replica of auth, which folds when it starts, and waits until the condition holds. */
async function foldUntil(isDone: () => Promise<boolean>): Promise<void> {
  const other = await startAuth()
  try {
    await pollUntil(isDone, { deadlineMs: 60_000, everyMs: 200, what: 'folding' })
  } finally {
    await other.stop()
  }
}

test('old minutes become one record of their day; younger ones stay; folding again changes nothing', async () => {
  // Given
  const gone = 'b2f1c6f4-6f0e-4d5c-9c39-0c1de4b0a111'
  const streamId = await makeStream('old', (id) => usagePartitionOf(id) < usagePartitions - 2)
  const day = dayKey(streamId, dayOf(oldDayMs))
  const old = [0, 1, 2].map((minute) => usageKey(streamId, 'r', minuteOf(oldDayMs) + minute))
  const other = usageKey(streamId, 'r2', minuteOf(oldDayMs))
  const young = usageKey(streamId, 'r', minuteOf(nowMs - 34 * dayMs))
  for (const key of [...old, other]) await count(key, oldDayMs, 1)
  await count(other, oldDayMs + minuteMs, 5)
  await count(usageKey(gone, 'r', minuteOf(oldDayMs)), oldDayMs, 1)
  await count(young, nowMs - 34 * dayMs, 7)
  const younger = { events: 7, bytes: 700, refused: { undecodable: 1 } }

  // When
  await foldUntil(async () => day in (await tableOf(streamId)))

  // Then
  const folded = { events: 8, bytes: 800, refused: { undecodable: 4 } }
  const noMinutes = Object.fromEntries([...old, other].map((key) => [key, null]))
  expect(await tableOf(streamId)).toEqual({ ...noMinutes, [young]: younger, [day]: folded })
  const ofGone = await tableOf(gone)
  expect(Object.values(ofGone)).toEqual(Object.values(ofGone).map(() => null))

  // When another replica folds. Replicas fold partitions in order, so a folded later partition shows that earlier ones
  // are finished
  const laterId = await makeStream(
    'later',
    (id) =>
      usagePartitionOf(id) > usagePartitionOf(streamId) &&
      // Excludes the partition of `gone`, whose folded records precede the new record, but have later timestamps.
      usagePartitionOf(id) !== usagePartitionOf(gone),
  )
  await count(usageKey(laterId, 'r', minuteOf(oldDayMs)), oldDayMs, 1)
  await foldUntil(async () => dayKey(laterId, dayOf(oldDayMs)) in (await tableOf(laterId)))

  // Then
  expect(await tableOf(streamId)).toEqual({ ...noMinutes, [young]: younger, [day]: folded })
})
