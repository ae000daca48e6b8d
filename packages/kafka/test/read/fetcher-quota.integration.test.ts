// A broker that throttles fetches: it returns an empty response, and says how long it won't read from the connection.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Admin as Operator } from '@platformatic/kafka'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { createKafka } from '../../src/connect/client.ts'
import { createFetcher } from '../../src/read/fetcher.ts'
import {
  BROKERS,
  closeWriters,
  connect,
  deleteTopicsMade,
  log,
  makeTopic,
  uniqueName,
  writeTo,
} from '../support.ts'

const within = { deadlineMs: 90_000, everyMs: 10 }
let admin: Admin
let operator: Operator

beforeAll(() => {
  admin = createAdmin(connect())
  operator = new Operator({ clientId: 'operator', bootstrapBrokers: BROKERS })
})

afterAll(async () => {
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
  await operator.close()
})

/** Returns a handle whose fetches have this quota. */
async function limited(bytesPerSecond: number) {
  const clientId = uniqueName('limited')
  const entities = [{ entityType: 'client-id' as const, entityName: clientId }]
  const op = { key: 'consumer_byte_rate' as const, value: bytesPerSecond, remove: false as const }
  await operator.alterClientQuotas({ entries: [{ entities, ops: [op] }] })
  return createKafka({ brokers: BROKERS, clientId, log })
}

test('a throttled follower gets everything once, what is there and what comes later', async () => {
  const topic = await makeTopic(admin, 'quota', 3)
  const value = 'x'.repeat(50_000)
  const partitions = [0, 1, 2]
  const writeEach = () => writeTo(topic, ...partitions.map((partition) => ({ partition, value })))
  for (let index = 0; index < 20; index += 1) await writeEach()
  const kafka = await limited(200_000)
  const offsets: bigint[][] = [[], [], []]
  const told: string[] = []
  const followings = partitions.map((partition) =>
    createFetcher(kafka).follow(
      { topic, partition, from: 0n, isolation: 'read_committed' },
      {
        onRecords: (records) =>
          void offsets[partition]?.push(...records.map(({ offset }) => offset)),
        onLost: ({ why }) => void told.push(why),
        onGone: () => void told.push('gone'),
      },
    ),
  )
  const haveCome = (count: number) =>
    pollUntil(() => offsets.every(({ length }) => length >= count), within)
  const startedMs = performance.now()
  await haveCome(20)
  // Kafka averages the rate over about ten seconds, in which the quota permits two of the three megabytes. Without a
  // quota, reading is nearly immediate.
  expect(performance.now() - startedMs).toBeGreaterThan(1_000)
  for (let index = 0; index < 3; index += 1) await writeEach()
  await haveCome(23)

  const all = Array.from({ length: 23 }, (_, index) => BigInt(index))
  expect([offsets, told]).toEqual([[all, all, all], []])
  for (const following of followings) following.close()
}, 240_000)
