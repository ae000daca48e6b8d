import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../src/admin/admin.ts'
import type { Admin } from '../src/admin/admin.ts'
import type { Kafka } from '../src/connect/client.ts'
import { followTopics } from '../src/read/follower.ts'
import { tailTopic } from '../src/read/tail.ts'
import { createTransactor } from '../src/fence/transactor.ts'
import { startOwnBroker } from './support-broker.ts'
import type { OwnBroker } from './support-broker.ts'
import { connect, uniqueName } from './support.ts'

let broker: OwnBroker
let kafka: Kafka
let admin: Admin
const cleanUps: (() => Promise<void>)[] = []
const within = { deadlineMs: 60_000, everyMs: 50 }

beforeAll(async () => {
  broker = await startOwnBroker()
  kafka = connect(broker.brokers)
  admin = createAdmin(kafka)
})

afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
  await admin.close()
  await broker.stop()
})

async function makeTopic(what: string): Promise<string> {
  const topic = uniqueName(what)
  await admin.topics.create({ topic, partitions: 1 })
  return topic
}

async function writeTo(topic: string, ...values: string[]): Promise<void> {
  const transactor = createTransactor(kafka, {
    transactionalId: uniqueName('w'),
    timeoutMs: 10_000,
  })
  await transactor.fence()
  await transactor.transaction((transaction) =>
    transaction.send(values.map((value) => ({ topic, partition: 0, key: value, value }))),
  )
  await transactor.close()
}

test('when the broker dies and comes back, followers and tails go on, and each record comes once', async () => {
  // Given
  const [table, log] = [await makeTopic('table'), await makeTopic('log')]
  const followed: string[] = []
  const tailed: string[] = []
  let resets = 0
  const follower = followTopics(kafka, {
    topics: [table],
    onRecord: ({ key }) => followed.push(key),
    onReset: () => void resets++,
  })
  const tail = tailTopic(kafka, {
    topic: log,
    fromOffsets: [0n],
    onRecords: (_, records) => tailed.push(...records.map(({ value }) => `${value?.toString()}`)),
    onStopped: (reason) => tailed.push(reason),
  })
  cleanUps.push(
    async () => tail.close(),
    () => follower.close(),
  )
  await follower.start()
  await writeTo(table, 'a')
  await writeTo(log, '1', '2')
  await pollUntil(() => tailed.length === 2 && followed.length === 1, within)

  // When
  await broker.kill()
  await expect(follower.catchUp()).rejects.toMatchObject({ code: 'kafka.unavailable' })
  expect(follower.isFresh()).toBe(false)
  await broker.start()
  await writeTo(table, 'b')
  await writeTo(log, '3')

  // Then
  await pollUntil(() => tailed.length >= 3 && followed.length >= 2, within)
  await follower.catchUp()
  expect(followed).toEqual(['a', 'b'])
  expect(tailed).toEqual(['1', '2', '3'])
  expect(follower.isFresh()).toBe(true)
  expect(resets).toBe(0)
}, 180_000)
