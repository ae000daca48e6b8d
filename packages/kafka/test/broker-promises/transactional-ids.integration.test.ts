// A transactional id that has expired gets another producer id, which doesn't fence the former owner.
import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { describeTransactionsV0 } from '@platformatic/kafka'

import { delay } from '@weir/kit'

import { startOwnBroker } from '../support-broker.ts'
import type { OwnBroker } from '../support-broker.ts'
import { newTransactionalId, openCluster, refusal } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'
import { batchOf, produce, readLog, valuesOf } from './log.ts'
import { openTopics } from './topics.ts'
import type { Topics } from './topics.ts'
import { fence, initProducerId } from './transactions.ts'
import type { Identity } from './transactions.ts'

let broker: OwnBroker
let cluster: Cluster
let topics: Topics

const EXPIRATION_MS = 4_000

beforeAll(async () => {
  broker = await startOwnBroker({
    'transactional.id.expiration.ms': EXPIRATION_MS,
    'transaction.remove.expired.transaction.cleanup.interval.ms': 200,
  })
  cluster = openCluster(broker.brokers)
  topics = openTopics(broker.brokers)
})

afterAll(async () => {
  await topics.close()
  await cluster.close()
  await broker.stop()
})

const write = (place: Place, producer: Identity, sequence: number, value: string) =>
  produce(cluster, place, batchOf([value], { producer, sequence }))

/** Returns whether Kafka knows the id. The request doesn't count as a use of the id. */
async function isKnown(id: string): Promise<boolean> {
  const connection = await cluster.coordinator('transaction', id)
  const error = await refusal(describeTransactionsV0.api.async(connection, [id]))
  return error !== 'TRANSACTIONAL_ID_NOT_FOUND'
}

/** Writes until the coordinator has forgotten the id. Returns the number of written records. */
async function writeUntilExpired(id: string, place: Place, owner: Identity): Promise<number> {
  for (let sequence = 0; ; sequence++) {
    if (!(await isKnown(id))) return sequence
    await write(place, owner, sequence, `${sequence}`)
    await delay(100)
  }
}

test('idempotent writes do not keep a transactional id: expired, it comes back with another producer id, and the former owner writes on', async () => {
  const place = { topic: await topics.make('expired'), partition: 0 }
  const id = newTransactionalId()
  await fence(cluster, id, [place])
  const { owner: former } = await fence(cluster, id, [place])
  const sequence = await writeUntilExpired(id, place, former)
  const { marker, owner } = await fence(cluster, id, [place])
  expect(marker.epoch).toBe(0)
  expect(owner.id).not.toBe(former.id)
  expect((await write(place, owner, 0, 'new')).error).toBe('NONE')
  expect((await write(place, former, sequence, 'late')).error).toBe('NONE')
  expect(valuesOf(await readLog(cluster, place)).slice(-2)).toEqual(['new', 'late'])
})

test('an owner that renews itself in time keeps the id, and is fenced by the next', async () => {
  const place = { topic: await topics.make('renewed'), partition: 0 }
  const id = newTransactionalId()
  const { owner } = await fence(cluster, id, [place])
  let own = owner
  const until = performance.now() + 1.5 * EXPIRATION_MS
  for (let sequence = 0; performance.now() < until; sequence++) {
    own = await initProducerId(cluster, id, own)
    expect((await write(place, own, 0, `${sequence}`)).error).toBe('NONE')
    await delay(100)
  }
  const { owner: next } = await fence(cluster, id, [place])
  expect([own.id, next.id]).toEqual([owner.id, owner.id])
  expect((await write(place, own, 1, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
})

test('who renews after the transactional id has expired is not refused, but gets another producer id', async () => {
  const place = { topic: await topics.make('lapsed'), partition: 0 }
  const id = newTransactionalId()
  const { owner } = await fence(cluster, id, [place])
  const sequence = await writeUntilExpired(id, place, owner)
  const renewed = await initProducerId(cluster, id, owner)
  expect(renewed.epoch).toBe(0)
  expect(renewed.id).not.toBe(owner.id)
  expect((await write(place, owner, sequence, 'as before')).error).toBe('NONE')
})
