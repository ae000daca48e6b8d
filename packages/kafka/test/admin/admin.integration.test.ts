import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Producer } from 'kafkajs'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { createFencer } from '../../src/fence/acquire.ts'
import { connect, deleteTopicsMade, makeTopic, plainKafka, uniqueName } from '../support.ts'

let admin: Admin
let producer: Producer

beforeAll(async () => {
  admin = createAdmin(connect())
  producer = plainKafka().producer({ allowAutoTopicCreation: false })
  await producer.connect()
})

afterAll(async () => {
  await producer.disconnect()
  await deleteTopicsMade(admin)
  await admin.close()
})

test('a topic made has its partitions and settings, and is told from one that was there', async () => {
  const topic = uniqueName('admin')
  const spec = { topic, partitions: 2, config: { 'max.message.bytes': '4194304' } }

  expect(await admin.topics.create(spec)).toBe('created')
  expect(await admin.topics.create(spec)).toBe('exists')
  expect(await admin.topics.exists(topic)).toBe(true)
  expect(await admin.topics.partitionCount(topic)).toBe(2)
  expect(await admin.configs.topic(topic)).toMatchObject({ 'max.message.bytes': '4194304' })

  expect(await admin.topics.delete(topic)).toBe('deleted')
  expect(await admin.topics.exists(topic)).toBe(false)
  expect(await admin.topics.partitionCount(topic)).toBeUndefined()
  expect(await admin.topics.delete(topic)).toBe('absent')
})

test('the settings of a topic are changed as a whole, and shown from then on', async () => {
  const topic = uniqueName('changed')
  await admin.topics.create({ topic, partitions: 1, config: { 'retention.ms': '1000' } })
  await admin.configs.setTopic(topic, {
    'retention.ms': '2000',
    'cleanup.policy': 'compact,delete',
  })
  expect(await admin.configs.topic(topic)).toMatchObject({
    'cleanup.policy': 'compact,delete',
    'retention.ms': '2000',
  })
  await admin.topics.delete(topic)
})

test('records before an offset are deleted, in each partition as many as are named', async () => {
  const topic = await makeTopic(admin, 'admin-cut', 2)
  for (const partition of [0, 1])
    await producer.send({ topic, messages: ['a', 'b', 'c'].map((value) => ({ partition, value })) })

  await admin.offsets.deleteBefore(topic, [2n, 0n])

  expect(await admin.offsets.earliest(topic)).toEqual([2n, 0n])
  expect(await admin.offsets.ends(topic, { isolation: 'read_committed' })).toEqual([3n, 3n])
  await expect(admin.offsets.deleteBefore(topic, [9n, 0n])).rejects.toMatchObject({
    code: 'kafka.refused',
  })
})

test('a deleted topic harms no question about another one', async () => {
  // Given
  const kept = await makeTopic(admin, 'admin-kept', 1)
  const gone = await makeTopic(admin, 'admin-gone', 1)
  await admin.offsets.ends(kept, { isolation: 'read_committed' })
  await admin.offsets.ends(gone, { isolation: 'read_committed' })

  // When
  await admin.topics.delete(gone)

  // Then
  expect(await admin.offsets.ends(kept, { isolation: 'read_committed' })).toEqual([0n])
  await expect(admin.offsets.ends(gone, { isolation: 'read_committed' })).rejects.toMatchObject({
    code: 'kafka.not_found',
  })
})

test('asking about a topic never makes it', async () => {
  const topic = uniqueName('admin-never')

  await expect(admin.offsets.earliest(topic)).rejects.toMatchObject({ code: 'kafka.not_found' })
  await expect(admin.groups.committedOffsets('group', topic)).rejects.toMatchObject({
    code: 'kafka.not_found',
  })
  expect(await admin.topics.exists(topic)).toBe(false)
})

test('the committed end stops before an open transaction, the uncommitted end does not', async () => {
  // Given
  const topic = await makeTopic(admin, 'admin-ends', 2)
  await producer.send({ topic, messages: [{ value: 'a', partition: 1 }] })
  const transactionalId = uniqueName('admin-txn')
  expect(await admin.groups.fence(transactionalId)).toBe('none')
  const writer = plainKafka().producer({ transactionalId, maxInFlightRequests: 1 })
  await writer.connect()
  const transaction = await writer.transaction()
  await transaction.send({ topic, messages: [{ value: 'b', partition: 1 }] })

  // Then
  expect(await admin.offsets.ends(topic, { isolation: 'read_committed' })).toEqual([0n, 1n])
  expect(await admin.offsets.ends(topic, { isolation: 'read_uncommitted' })).toEqual([0n, 2n])
  expect(await admin.offsets.earliest(topic)).toEqual([0n, 0n])

  // When
  expect(await admin.groups.fence(transactionalId)).toBe('fenced')

  // Then
  await expect(transaction.commit()).rejects.toMatchObject({ type: 'INVALID_PRODUCER_EPOCH' })
  expect(await admin.offsets.ends(topic, { isolation: 'read_committed' })).toEqual([0n, 3n])
  await writer.disconnect()
})

test('a topic is empty until something is written to any partition; a fence writes nothing', async () => {
  const topic = await makeTopic(admin, 'admin-empty', 2)

  expect(await admin.topics.isEmpty(topic)).toBe(true)
  const fencer = createFencer(connect())
  const transactionalId = uniqueName('admin-fence')
  const partitions = [0, 1].map((partition) => ({ topic, partition }))
  await fencer.acquire({ transactionalId, partitions, deadlineMs: 30_000 })
  fencer.close()
  expect(await admin.offsets.ends(topic, { isolation: 'read_uncommitted' })).toEqual([1n, 1n])
  expect(await admin.topics.isEmpty(topic)).toBe(true)
  await producer.send({ topic, messages: [{ value: 'a', partition: 1 }] })
  expect(await admin.topics.isEmpty(topic)).toBe(false)
})

test('committed offsets are read without joining, and a group goes only when nobody is in it', async () => {
  // Given
  const topic = await makeTopic(admin, 'admin-group', 2)
  const groupId = uniqueName('admin-group')
  await producer.send({ topic, messages: [{ value: 'a', partition: 1 }] })
  const consumer = plainKafka().consumer({ groupId, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  const joined = new Promise((resolve) => consumer.on('consumer.group_join', resolve))
  await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve() })
  await joined
  await consumer.commitOffsets([{ topic, partition: 1, offset: '1' }])

  // Then
  expect(await admin.groups.committedOffsets(groupId, topic)).toEqual([undefined, 1n])
  expect(await admin.groups.committedOffsets(uniqueName('nobody'), topic)).toEqual([
    undefined,
    undefined,
  ])
  await expect(admin.groups.delete(groupId)).rejects.toMatchObject({
    code: 'kafka.group_not_empty',
  })

  // When
  await consumer.disconnect()

  // Then
  expect(await admin.groups.delete(groupId)).toBe('deleted')
  expect(await admin.groups.delete(groupId)).toBe('absent')
})

test('the broker tells its settings', async () => {
  const [config] = [...(await admin.configs.brokers()).values()]
  expect(config).toMatchObject({ 'auto.create.topics.enable': 'false' })
})

test('topics tell on how many brokers they lie, and which settings are their own; one that is not there is left out', async () => {
  const topic = await makeTopic(admin, 'admin-settings', 2, { 'min.insync.replicas': '1' })
  const nowhere = uniqueName('nowhere')

  const found = await admin.configs.topics([nowhere, topic])

  expect([...found.keys()]).toEqual([topic])
  expect(found.get(topic)).toMatchObject({
    replication: 1,
    config: { 'min.insync.replicas': '1', 'compression.type': 'producer' },
    own: { 'min.insync.replicas': '1' },
  })
})

test('a broker that is not there is reported as unavailable, within the deadline', async () => {
  const lost = createAdmin(connect(['127.0.0.1:1']), { deadlineMs: 300 })

  await expect(lost.configs.brokers()).rejects.toMatchObject({ code: 'kafka.unavailable' })
  await lost.close()
})
