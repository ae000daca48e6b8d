// The number of connections from a handle to a broker under full use. A broker limits the connections of a host, which
// replicas may share.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { delay, pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import type { Kafka } from '../../src/connect/client.ts'
import { createTransactor } from '../../src/fence/transactor.ts'
import { createBatchProducer } from '../../src/produce/batch-producer.ts'
import { createFetcher } from '../../src/read/fetcher.ts'
import { followTopics } from '../../src/read/follower.ts'
import { createRangeReader } from '../../src/read/read-range.ts'
import { connectOverNetwork } from '../network.ts'
import { BROKERS, connect, deleteTopicsMade, makeTopic, uniqueName } from '../support.ts'

const PARTITIONS = 20
const within = { deadlineMs: 60_000, everyMs: 10 }
const limits = { produceTimeoutMs: 60_000, inFlightBytesMax: 1_000_000 }
let admin: Admin
let topic: string

beforeAll(async () => {
  admin = createAdmin(connect())
  topic = await makeTopic(admin, 'connections', PARTITIONS)
})

afterAll(async () => {
  await deleteTopicsMade(admin)
  await admin.close()
})

/** Does everything that services do. Resolves with a function that stops it. */
async function doEverything(kafka: Kafka): Promise<() => Promise<void>> {
  const producer = createBatchProducer(kafka, limits)
  const own = createAdmin(kafka)
  const follower = followTopics(kafka, { topics: [topic], onRecord() {}, onReset() {} })
  const transactors = Array.from({ length: 8 }, (_, index) =>
    createTransactor(kafka, { transactionalId: uniqueName(`${index}`), timeoutMs: 30_000 }),
  )
  const ends = Array.from({ length: PARTITIONS }, () => 0n)
  const followings = ends.map((_, partition) =>
    createFetcher(kafka).follow(
      { topic, partition, from: 0n, isolation: 'read_committed' },
      { onRecords: (_records, next) => void (ends[partition] = next), onLost() {}, onGone() {} },
    ),
  )
  const record = { key: 'k', value: Buffer.from('v'), headers: {}, timestampMs: Date.now() }
  await follower.start()
  await Promise.all([
    own.offsets.ends(topic, { isolation: 'read_committed' }),
    ...ends.map((_, partition) => producer.send(topic, partition, record)),
    ...transactors.map(async (transactor, partition) => {
      await transactor.fence()
      await transactor.transaction((open) =>
        open.send([{ topic, partition, key: 'k', value: 'in a transaction' }]),
      )
    }),
  ])
  await readRange(kafka)
  await pollUntil(() => ends.every((end) => end > 0n), within)
  return async () => {
    for (const following of followings) following.close()
    await Promise.all([follower, producer, own, ...transactors].map((each) => each.close()))
  }
}

async function readRange(kafka: Kafka): Promise<void> {
  const reader = createRangeReader(kafka)
  await reader.read({ topic, partition: 0, from: 0n, to: 1n }, () => {})
  await reader.close()
}

test('a handle has at most six connections to a broker, also if the settings name it by another name', async () => {
  const network = await connectOverNetwork(BROKERS[0], 'localhost')
  let most = 0
  const watching = new AbortController()
  const watched = (async () => {
    while (!watching.signal.aborted) {
      most = Math.max(most, network.size())
      await delay(1)
    }
  })()
  const end = await doEverything(network.kafka)
  await pollUntil(() => network.size() <= 6, within)
  watching.abort()
  await watched
  expect(network.size()).toBe(6)
  // One more connection goes to the configured address, until the broker has returned its own address.
  expect(most).toBeLessThanOrEqual(7)

  await end()
  await pollUntil(() => network.size() === 0, within)
}, 120_000)
