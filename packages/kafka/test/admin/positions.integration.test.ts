import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { makeKafkaTools } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { createPositions } from '../../src/admin/positions.ts'
import type { Positions } from '../../src/admin/positions.ts'
import {
  BROKERS,
  closeWriters,
  connect,
  deleteTopicsMade,
  hasMembers,
  makeTopic,
  plainKafka,
  uniqueName,
  writeTo,
} from '../support.ts'

const kafka = connect()
let admin: Admin
let positions: Positions

beforeAll(() => {
  admin = createAdmin(kafka)
  positions = createPositions(kafka)
})

afterAll(async () => {
  await closeWriters()
  await positions.close()
  await deleteTopicsMade(admin)
  await admin.close()
})

const byText = (a: string, b: string) => a.localeCompare(b)

const at = (topic: string, partition: number, offset: bigint, metadata = '') => ({
  topic,
  partition,
  offset,
  metadata,
})

test('what was committed last is read back, with its metadata, and nothing of what never was', async () => {
  const [one, two] = [await makeTopic(admin, 'in', 3), await makeTopic(admin, 'in', 1)]
  const groupId = uniqueName('group')
  const partitions = [0, 1, 2].map((partition) => ({ topic: one, partition }))
  const asked = { groupId, partitions: [...partitions, { topic: two, partition: 0 }] }
  expect(await positions.read([asked])).toEqual(new Map([[groupId, []]]))

  const committed = [at(one, 0, 7n, '{"stream":"a"}'), at(one, 2, 9n), at(two, 0, 0n, 'ü')]
  expect(await positions.commit(groupId, committed)).toEqual([])
  expect((await positions.read([asked])).get(groupId)).toEqual(committed)

  // Kafka also accepts a lower offset, from another client.
  await positions.commit(groupId, [at(one, 0, 3n, '{"stream":"b"}')])
  const [first, ...others] = (await positions.read([asked])).get(groupId) ?? []
  expect(first).toEqual(at(one, 0, 3n, '{"stream":"b"}'))
  expect(others).toEqual(committed.slice(1))
})

test('the positions of a thousand groups are read at once', async () => {
  const topic = await makeTopic(admin, 'in', 2)
  const prefix = uniqueName('group')
  const groups = Array.from({ length: 1_100 }, (_, number) => `${prefix}-${number}`)
  await Promise.all(
    groups.map((groupId, number) =>
      positions.commit(groupId, [at(topic, 1, BigInt(number), groupId)]),
    ),
  )
  const partitions = [0, 1].map((partition) => ({ topic, partition }))
  const found = await positions.read(groups.map((groupId) => ({ groupId, partitions })))
  expect([...found]).toEqual(
    groups.map((groupId, number) => [groupId, [at(topic, 1, BigInt(number), groupId)]]),
  )
}, 120_000)

test('a group that has members refuses, until they have left', async () => {
  const topic = await makeTopic(admin, 'in', 1)
  const groupId = uniqueName('group')
  const consumer = plainKafka().consumer({ groupId })
  await consumer.connect()
  await consumer.subscribe({ topic })
  await consumer.run({ eachMessage: () => Promise.resolve() })
  await pollUntil(() => hasMembers(groupId), { deadlineMs: 60_000 })
  const refused = positions.commit(groupId, [at(topic, 0, 1n)])
  await expect(refused).rejects.toMatchObject({ code: 'kafka.group_not_empty' })
  await consumer.disconnect()
  await pollUntil(async () => !(await hasMembers(groupId)), { deadlineMs: 60_000 })
  expect(await positions.commit(groupId, [at(topic, 0, 1n)])).toEqual([])
}, 120_000)

test('partitions that are not there are told, and the others are committed', async () => {
  const topic = await makeTopic(admin, 'in', 1)
  const groupId = uniqueName('group')
  const gone = [at(uniqueName('never'), 0, 1n), at(topic, 5, 1n)]
  expect(await positions.commit(groupId, [...gone, at(topic, 0, 4n)])).toEqual(gone)
  const asked = { groupId, partitions: [...gone, { topic, partition: 0 }] }
  expect((await positions.read([asked])).get(groupId)).toEqual([at(topic, 0, 4n)])
})

test('metadata that is too long is refused', async () => {
  const topic = await makeTopic(admin, 'in', 1)
  const refused = positions.commit(uniqueName('group'), [at(topic, 0, 1n, 'x'.repeat(5_000))])
  await expect(refused).rejects.toMatchObject({ code: 'kafka.refused' })
})

test("Kafka's own tool shows positions and lag", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-kafka-tools-'))
  const topic = await makeTopic(admin, 'in', 2)
  const groupId = uniqueName('group')
  await writeTo(topic, ...['a', 'b', 'c'].map((value) => ({ value, partition: 1 })))
  await positions.commit(groupId, [at(topic, 0, 0n), at(topic, 1, 1n, 'mine')])
  await makeKafkaTools(folder)
  const tool = join(folder, 'kafka-consumer-groups.sh')
  const args = ['--bootstrap-server', BROKERS.join(), '--describe', '--group', groupId]
  const { stdout } = await promisify(execFile)(tool, args)
  const rows = stdout.split('\n').filter((line) => line.includes(topic))
  // Columns: group, topic, partition, committed offset, end offset, lag.
  expect(rows.map((row) => row.split(/\s+/).slice(2, 6).join(' ')).toSorted(byText)).toEqual([
    '0 0 0 0',
    '1 1 3 2',
  ])
  await rm(folder, { recursive: true, force: true })
}, 120_000)
