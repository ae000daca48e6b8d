import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { tailTopic } from '../../src/read/tail.ts'
import type { Tail } from '../../src/read/tail.ts'
import { connectOverNetwork } from '../network.ts'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  makeTopic,
  plainKafka,
  removeRecordsBefore,
  uniqueName,
  writeTo,
} from '../support.ts'

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

type Tailed = { tail: Tail; seen: string[]; stops: string[] }

function tailFrom(topic: string, fromOffsets: bigint[], over = kafka): Tailed {
  const seen: string[] = []
  const stops: string[] = []
  const tail = tailTopic(over, {
    topic,
    fromOffsets,
    onRecords: (partition, records) => {
      for (const { offset, value } of records) {
        seen.push(`${partition}/${offset}=${value?.toString() ?? ''}`)
      }
    },
    onStopped: (reason) => stops.push(reason),
  })
  cleanUps.push(async () => tail.close())
  return { tail, seen, stops }
}

const write = (topic: string, partition: number, ...values: string[]) =>
  writeTo(topic, ...values.map((value) => ({ partition, value })))

const within = { deadlineMs: 60_000, everyMs: 20 }

test('a tail begins exactly at its offsets: at what is there already, and at what is yet to come', async () => {
  // Given
  const topic = await makeTopic(admin, 'tail', 3)
  await write(topic, 0, 'a', 'b', 'c')
  await write(topic, 1, 'd')

  // When
  const { seen } = tailFrom(topic, [2n, 1n, 0n])
  await pollUntil(() => seen.length === 1, within)
  await write(topic, 1, 'e')
  await write(topic, 2, 'f')
  await pollUntil(() => seen.length === 3, within)

  // Then
  expect(seen.sort()).toEqual(['0/2=c', '1/1=e', '2/0=f'])
})

test('what is not committed is never shown, and holds up nothing once it is aborted', async () => {
  // Given
  const topic = await makeTopic(admin, 'tail-txn', 1)
  const { seen } = tailFrom(topic, [0n])
  const producer = plainKafka().producer({
    transactionalId: uniqueName('w'),
    maxInFlightRequests: 1,
  })
  await producer.connect()
  cleanUps.push(() => producer.disconnect())

  // When
  const undone = await producer.transaction()
  await undone.send({ topic, messages: [{ value: 'undone' }] })
  await undone.abort()
  const done = await producer.transaction()
  await done.send({ topic, messages: [{ value: 'done' }] })
  await done.commit()
  await pollUntil(() => seen.length > 0, within)

  // Then
  expect(seen).toEqual(['0/2=done'])
})

test('nothing is lost or doubled when the tail is cut off meanwhile', async () => {
  // Given
  const topic = await makeTopic(admin, 'tail-cut', 2)
  const network = await connectOverNetwork()
  const { seen, stops } = tailFrom(topic, [0n, 0n], network.kafka)
  await write(topic, 0, 'a')
  await pollUntil(() => seen.length === 1, within)

  // When
  await write(topic, 1, 'b')
  await write(topic, 0, 'c')
  await pollUntil(() => seen.length === 3, within)
  network.cut()
  await write(topic, 0, 'd')
  await write(topic, 1, 'e')
  network.mend()
  await pollUntil(() => seen.length >= 5, within)

  // Then
  expect(seen.sort()).toEqual(['0/0=a', '0/1=c', '0/2=d', '1/0=b', '1/1=e'])
  expect(stops).toEqual([])
})

test('a tail ends when its topic is deleted, and another tail is not disturbed', async () => {
  // Given
  const [gone, kept] = [
    await makeTopic(admin, 'tail-gone', 1),
    await makeTopic(admin, 'tail-kept', 1),
  ]
  const ending = tailFrom(gone, [0n])
  const staying = tailFrom(kept, [0n])
  await write(gone, 0, 'a')
  await pollUntil(() => ending.seen.length === 1, within)

  // When
  await admin.topics.delete(gone)
  await pollUntil(() => ending.stops.length > 0, within)
  await write(kept, 0, 'b')
  await pollUntil(() => staying.seen.length === 1, within)

  // Then
  expect(ending.stops).toEqual(['gone'])
  expect(staying.stops).toEqual([])
})

test('a topic made again under the same name is another topic: the tail ends', async () => {
  // Given
  const topic = await makeTopic(admin, 'tail-again', 1)
  const { seen, stops } = tailFrom(topic, [0n])
  await write(topic, 0, 'a', 'b')
  await pollUntil(() => seen.length === 2, within)

  // When
  await admin.topics.delete(topic)
  await admin.topics.create({ topic, partitions: 1 })
  await write(topic, 0, 'other')
  await pollUntil(() => stops.length > 0, within)

  // Then
  expect(seen).toEqual(['0/0=a', '0/1=b'])
})

test('a tail that retention has passed goes on with what is left', async () => {
  // Given
  const topic = await makeTopic(admin, 'tail-late', 1)
  await write(topic, 0, 'a', 'b', 'c')
  await removeRecordsBefore(topic, 0, 2n)

  // When
  const { seen } = tailFrom(topic, [0n])
  await pollUntil(() => seen.length > 0, within)

  // Then
  expect(seen).toEqual(['0/2=c'])
})

test('a closed tail ends its connections and calls nobody any more', async () => {
  // Given
  const topic = await makeTopic(admin, 'tail-close', 1)
  const network = await connectOverNetwork()
  const { tail, seen, stops } = tailFrom(topic, [0n], network.kafka)
  await write(topic, 0, 'a')
  await pollUntil(() => seen.length > 0, within)

  // When
  tail.close()
  await write(topic, 0, 'b')

  // Then
  await pollUntil(() => network.size() === 0, within)
  expect(seen).toEqual(['0/0=a'])
  expect(stops).toEqual([])
})
