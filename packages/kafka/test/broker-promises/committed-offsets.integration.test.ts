// Offsets that are committed for a group without members, so that standard tools show its lag.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  createAPI,
  joinGroupV3,
  offsetCommitV4,
  offsetCommitV8,
  offsetFetchV8,
  Writer,
} from '@platformatic/kafka'

import { makeKafkaTools } from '@weir/devstack'

import { startOwnBroker } from '../support-broker.ts'
import type { OwnBroker } from '../support-broker.ts'
import { uniqueName } from '../support.ts'
import { eventually, openCluster, refusal } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'
import { batchOf, produce } from './log.ts'
import { openTopics } from './topics.ts'
import type { Topics } from './topics.ts'
import { initProducerId } from './transactions.ts'

let broker: OwnBroker
let cluster: Cluster
let topics: Topics

beforeAll(async () => {
  broker = await startOwnBroker({ 'offsets.retention.check.interval.ms': 300 })
  cluster = openCluster(broker.brokers)
  topics = openTopics(broker.brokers)
})

afterAll(async () => {
  await topics.close()
  await cluster.close()
  await broker.stop()
})

const NO_GENERATION = -1
const NOBODY = ''

type Commit = { readonly group: string; readonly offset: bigint; readonly metadata?: string }

const commit = (place: Place, { group, offset, metadata = '' }: Commit): Promise<unknown> =>
  eventually('the coordinator', async () => {
    const connection = await cluster.coordinator('group', group)
    const partition = { partitionIndex: place.partition, committedOffset: offset }
    const partitions = [{ ...partition, committedLeaderEpoch: -1, committedMetadata: metadata }]
    const wanted = [{ name: place.topic, partitions }]
    const error = await refusal(
      offsetCommitV8.api.async(connection, group, NO_GENERATION, NOBODY, null, wanted),
    )
    if (/COORDINATOR/.test(error)) throw new Error(error)
    return error
  })

async function committed({ topic, partition }: Place, groupId: string) {
  const connection = await cluster.coordinator('group', groupId)
  const wanted = {
    groupId,
    memberEpoch: -1,
    topics: [{ name: topic, partitionIndexes: [partition] }],
  }
  const { groups } = await offsetFetchV8.api.async(connection, [wanted], false)
  const found = groups[0]?.topics[0]?.partitions[0]
  return { offset: found?.committedOffset, metadata: found?.metadata }
}

const newPlace = async (): Promise<Place> => ({ topic: await topics.make('input'), partition: 0 })

test('a group without members takes an offset with metadata, from whoever commits last', async () => {
  const place = await newPlace()
  const group = uniqueName('group')
  expect(await commit(place, { group, offset: 10n, metadata: 'one' })).toBe('NONE')
  expect(await committed(place, group)).toEqual({ offset: 10n, metadata: 'one' })
  // Kafka also accepts a lower offset.
  expect(await commit(place, { group, offset: 5n, metadata: 'two' })).toBe('NONE')
  expect(await committed(place, group)).toEqual({ offset: 5n, metadata: 'two' })
})

test('metadata may have 4,096 bytes', async () => {
  const place = await newPlace()
  const group = uniqueName('group')
  expect(await commit(place, { group, offset: 1n, metadata: 'x'.repeat(4_096) })).toBe('NONE')
  expect(await commit(place, { group, offset: 1n, metadata: 'x'.repeat(4_097) })).toBe(
    'OFFSET_METADATA_TOO_LARGE',
  )
})

test('while the group has a member, a commit of nobody is refused', async () => {
  const place = await newPlace()
  const group = uniqueName('group')
  const connection = await cluster.coordinator('group', group)
  const protocols = [{ name: 'range', metadata: Buffer.alloc(0) }]
  await joinGroupV3.api.async(connection, group, 60_000, 1_000, NOBODY, null, 'consumer', protocols)
  expect(await commit(place, { group, offset: 1n })).toBe('UNKNOWN_MEMBER_ID')
})

test('kafka-consumer-groups.sh shows offset and lag of a group that never had members', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-kafka-tools-'))
  const place = await newPlace()
  const group = uniqueName('group')
  const producer = await initProducerId(cluster, null)
  await produce(cluster, place, batchOf(['a', 'b', 'c'], { producer, sequence: 0 }))
  await commit(place, { group, offset: 1n })
  await makeKafkaTools(folder)
  const tool = join(folder, 'kafka-consumer-groups.sh')
  const args = ['--bootstrap-server', broker.brokers.join(), '--describe', '--group', group]
  const { stdout } = await promisify(execFile)(tool, args)
  const row = stdout.split('\n').find((line) => line.includes(place.topic))
  // Columns: group, topic, partition, committed offset, end offset, lag.
  expect(row?.split(/\s+/).slice(1, 6)).toEqual([place.topic, '0', '1', '3', '2'])
  await rm(folder, { recursive: true, force: true })
})

type ShortCommit = Commit & { readonly place: Place; readonly retentionMs: bigint }

// Version 4 is the last in which a commit has its own retention. The broker's setting is in whole minutes, too long for
// a test.
const commitKept = createAPI<[ShortCommit], offsetCommitV4.OffsetCommitResponse>(
  offsetCommitV4.api.key,
  offsetCommitV4.api.version,
  ({ group, offset, place, retentionMs }: ShortCommit) =>
    Writer.create()
      .appendString(group, false)
      .appendInt32(NO_GENERATION)
      .appendString(NOBODY, false)
      .appendInt64(retentionMs)
      .appendInt32(1)
      .appendString(place.topic, false)
      .appendInt32(1)
      .appendInt32(place.partition)
      .appendInt64(offset)
      .appendString('', false),
  offsetCommitV4.parseResponse,
  false,
  false,
)

test('the offset of a group without members expires, counted from when it was committed last', async () => {
  const [place, group] = [await newPlace(), uniqueName('group')]
  const commitFor = async (retentionMs: bigint) =>
    commitKept.async(await cluster.coordinator('group', group), {
      group,
      offset: 7n,
      place,
      retentionMs,
    })
  await commitFor(500n)
  await commitFor(3_600_000n)
  const [gone, other] = [await newPlace(), uniqueName('group')]
  await commit(gone, { group: other, offset: 1n })
  await commitKept.async(await cluster.coordinator('group', other), {
    group: other,
    offset: 7n,
    place: gone,
    retentionMs: 500n,
  })
  await eventually('the expiry', async () => {
    if ((await committed(gone, other)).offset !== -1n) throw new Error('still there')
  })
  expect((await committed(place, group)).offset).toBe(7n)
})
