// How long a partition remembers a writer depends on the time of the writer's last batch. With CreateTime, that time is
// the records' own. After a backfill, derived topics contain old records, so they use LogAppendTime.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  ConfigResourceTypes,
  IncrementalAlterConfigOperationTypes,
  listOffsetsV7,
} from '@platformatic/kafka'

import { startOwnBroker } from '../support-broker.ts'
import type { OwnBroker } from '../support-broker.ts'
import { eventually, newTransactionalId, openCluster } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'
import { batchOf, produce, readLog } from './log.ts'
import { LOG_APPEND_TIME, openTopics } from './topics.ts'
import type { Topics } from './topics.ts'
import { fence, initProducerId } from './transactions.ts'
import type { Identity } from './transactions.ts'

let broker: OwnBroker
let cluster: Cluster
let topics: Topics

beforeAll(async () => {
  broker = await startOwnBroker({
    'producer.id.expiration.check.interval.ms': 100,
    'log.retention.check.interval.ms': 200,
    'log.initial.task.delay.ms': 100,
  })
  cluster = openCluster(broker.brokers)
  topics = openTopics(broker.brokers)
})

afterAll(async () => {
  await topics.close()
  await cluster.close()
  await broker.stop()
})

const CREATE_TIME = { 'message.timestamp.type': 'CreateTime' }
const TWO_DAYS_MS = 2 * 86_400_000

type Owned = { place: Place; former: Identity; owner: Identity }

/** Creates a partition whose owner has written one batch of old records. */
async function ownedWithOldRecords(configs: Record<string, string>): Promise<Owned> {
  const place = { topic: await topics.make('times', { configs }), partition: 0 }
  const id = newTransactionalId()
  const { owner: former } = await fence(cluster, id, [place])
  const { owner } = await fence(cluster, id, [place])
  expect(await produce(cluster, place, oldBatch(owner))).toMatchObject({ error: 'NONE' })
  return { place, former, owner }
}

const oldBatch = (producer: Identity, sequence = 0) =>
  batchOf(['old'], { producer, sequence, timestampMs: Date.now() - TWO_DAYS_MS })

/** Waits until the partition accepts the former owner's writes. */
async function untilForgotten({ place, former }: Owned): Promise<void> {
  await eventually('a forgotten producer', async () => {
    const { error } = await produce(cluster, place, oldBatch(former, 7))
    if (error !== 'NONE') throw new Error(error)
  })
}

test('with CreateTime a batch of old records makes the broker forget who writes: the former owner is let in', async () => {
  const owned = await ownedWithOldRecords(CREATE_TIME)
  await untilForgotten(owned)
})

test('with CreateTime a repeated batch of old records is stored twice', async () => {
  const { place, owner } = await ownedWithOldRecords(CREATE_TIME)
  const bytes = oldBatch(owner)
  const [first] = (await readLog(cluster, place)).filter(({ marker }) => marker === undefined)
  const again = await eventually('a second copy', async () => {
    const { offset } = await produce(cluster, place, bytes)
    if (offset === first?.offset) throw new Error('known still')
    return offset
  })
  expect(again).toBeGreaterThan(first?.offset ?? 0n)
})

test('with LogAppendTime the broker remembers the writer of old records, and its batch', async () => {
  const { place, former, owner } = await ownedWithOldRecords(LOG_APPEND_TIME)
  const { offset } = await produce(cluster, place, oldBatch(owner))
  for (let times = 0; times < 3; times++)
    await untilForgotten(await ownedWithOldRecords(CREATE_TIME))
  expect(await produce(cluster, place, oldBatch(owner))).toMatchObject({ error: 'NONE', offset })
  expect((await produce(cluster, place, oldBatch(former, 0))).error).toBe('INVALID_PRODUCER_EPOCH')
})

test("with LogAppendTime all records of a batch have the broker's time, which the answer tells", async () => {
  const { place, owner } = await ownedWithOldRecords(LOG_APPEND_TIME)
  const before = Date.now()
  const { logAppendTimeMs } = await produce(cluster, place, oldBatch(owner, 1))
  const last = (await readLog(cluster, place)).at(-1)
  expect(last).toMatchObject({ isLogAppendTime: true, timestampMs: Number(logAppendTimeMs) })
  expect(Number(logAppendTimeMs)).toBeGreaterThan(before - 1_000)
})

async function earliest({ topic, partition }: Place): Promise<bigint> {
  const wanted = { partitionIndex: partition, currentLeaderEpoch: -1, timestamp: -2n }
  const asked = [{ name: topic, partitions: [wanted] }]
  const connection = await cluster.leader({ topic, partition })
  const { topics: found } = await listOffsetsV7.api.async(connection, -1, 0, asked)
  return found[0]?.partitions[0]?.offset ?? 0n
}

/** Writes only an old record. A fence's marker has the current time, and would keep the segment. */
async function oldRecord(configs: Record<string, string>): Promise<Place> {
  const retained = { ...configs, 'retention.ms': '3600000' }
  const place = { topic: await topics.make('retained', { configs: retained }), partition: 0 }
  await produce(cluster, place, oldBatch(await initProducerId(cluster, null)))
  return place
}

async function untilRetentionHasRun(): Promise<void> {
  const place = await oldRecord(CREATE_TIME)
  await eventually('retention', async () => {
    if ((await earliest(place)) === 0n) throw new Error('not yet')
  })
}

test('retention counts from when a record was written with LogAppendTime, from its own time with CreateTime', async () => {
  const place = await oldRecord(LOG_APPEND_TIME)
  await untilRetentionHasRun()
  await untilRetentionHasRun()
  expect(await earliest(place)).toBe(0n)
})

test('a partition that was idle for producer.id.expiration.ms lets the former owner in, and its owner go on', async () => {
  const owned = await ownedWithOldRecords(LOG_APPEND_TIME)
  await topics.admin.incrementalAlterConfigs({
    resources: [
      {
        resourceType: ConfigResourceTypes.BROKER,
        resourceName: '1',
        configs: [
          {
            name: 'producer.id.expiration.ms',
            value: '500',
            configOperation: IncrementalAlterConfigOperationTypes.SET,
          },
        ],
      },
    ],
  })
  await untilForgotten(owned)
  await eventually('the owner', async () => {
    const { error } = await produce(cluster, owned.place, oldBatch(owned.owner, 1))
    if (error !== 'NONE') throw new Error(error)
  })
})
