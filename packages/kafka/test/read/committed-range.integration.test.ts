import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from 'kafkajs'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import {
  connect,
  deleteTopicsMade,
  makeTopic,
  plainKafka,
  readAll,
  uniqueName,
  untilTransactionsEnded,
} from '../support.ts'

let admin: Admin
const cleanUps: (() => Promise<void>)[] = []

beforeAll(() => {
  admin = createAdmin(connect())
})

afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp()
  await deleteTopicsMade(admin)
  await admin.close()
})

async function begin(): Promise<Transaction> {
  const writer = plainKafka().producer({
    transactionalId: uniqueName('writer'),
    maxInFlightRequests: 1,
  })
  await writer.connect()
  cleanUps.push(() => writer.disconnect())
  return writer.transaction()
}

test('of transactions that interleave on one partition exactly the committed ones are read', async () => {
  // Given transactions that end in another order than they began
  const topic = await makeTopic(admin, 'range', 1)
  const send = (transaction: Transaction, key: string) =>
    transaction.send({ topic, messages: [{ key, value: key }] })
  const [one, two, three] = [await begin(), await begin(), await begin()]
  await send(one, 'aborted-1')
  await send(two, 'committed-2')
  await send(three, 'aborted-3')
  await three.abort()
  await send(two, 'committed-2b')
  await send(one, 'aborted-1b')
  await one.abort()
  await two.commit()

  // When
  await untilTransactionsEnded(topic)
  const read = await readAll(topic)

  // Then
  expect(read).toEqual(['committed-2=committed-2', 'committed-2b=committed-2b'])
})

test('a key that looks like an abort marker is a record like any other', async () => {
  // Given
  const topic = await makeTopic(admin, 'range-key', 1)
  const transaction = await begin()
  await transaction.send({ topic, messages: [{ key: Buffer.alloc(4), value: 'aborted' }] })
  await transaction.send({ topic, messages: [{ key: 'b', value: 'aborted' }] })
  await transaction.abort()

  // When
  await untilTransactionsEnded(topic)
  const read = await readAll(topic)

  // Then
  expect(read).toEqual([])
})
