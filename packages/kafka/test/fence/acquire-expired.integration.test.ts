// Kafka forgets a transactional id after a long time without use. The next owner then gets another producer id, which
// doesn't fence former owners.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeTransactionsV0 } from '@platformatic/kafka'

import { createFencer } from '../../src/fence/acquire.ts'
import type { Fencer } from '../../src/fence/acquire.ts'
import { eventually, newTransactionalId, openCluster, refusal } from '../broker-promises/cluster.ts'
import type { Cluster, Place } from '../broker-promises/cluster.ts'
import { batchOf, produce } from '../broker-promises/log.ts'
import { openTopics } from '../broker-promises/topics.ts'
import type { Topics } from '../broker-promises/topics.ts'
import type { Identity } from '../broker-promises/transactions.ts'
import { connect } from '../support.ts'
import { startOwnBroker } from '../support-broker.ts'
import type { OwnBroker } from '../support-broker.ts'

let broker: OwnBroker
let cluster: Cluster
let topics: Topics
let fencer: Fencer

beforeAll(async () => {
  broker = await startOwnBroker({
    'transactional.id.expiration.ms': 6_000,
    'transaction.remove.expired.transaction.cleanup.interval.ms': 200,
  })
  cluster = openCluster(broker.brokers)
  topics = openTopics(broker.brokers)
  fencer = createFencer(connect(broker.brokers))
})

afterAll(async () => {
  fencer.close()
  await topics.close()
  await cluster.close()
  await broker.stop()
})

const untilForgotten = (id: string) =>
  eventually(`the end of ${id}`, async () => {
    const connection = await cluster.coordinator('transaction', id)
    const error = await refusal(describeTransactionsV0.api.async(connection, [id]))
    if (error !== 'TRANSACTIONAL_ID_NOT_FOUND') throw new Error(error)
  })

const write = async (place: Place, producer: Identity, sequence: number, value: string) =>
  (await produce(cluster, place, batchOf([value], { producer, sequence }))).error

async function makeAcquiring() {
  const place = { topic: await topics.make('derived'), partition: 0 }
  const transactionalId = newTransactionalId()
  return { place, acquiring: { transactionalId, partitions: [place], deadlineMs: 60_000 } }
}

async function makeForgotten() {
  const { place, acquiring } = await makeAcquiring()
  const { identity: former } = await fencer.acquire(acquiring)
  await write(place, former, 0, 'a')
  await untilForgotten(acquiring.transactionalId)
  return { place, acquiring, former }
}

test('who acquires after the id was forgotten is told so, and may acquire again when the former owner has stopped', async () => {
  const { place, acquiring, former } = await makeForgotten()
  const acquired = await fencer.acquire(acquiring)
  expect(acquired.isNewIdentity).toBe(true)
  expect(acquired.identity.id).not.toBe(former.id)
  expect(await write(place, former, 1, 'above the marker')).toBe('NONE')

  const again = await fencer.acquire(acquiring)
  expect(again).toMatchObject({ isNewIdentity: false, markers: [4n] })
  expect(await write(place, again.identity, 0, 'b')).toBe('NONE')
})

test('an empty partition has no former owner', async () => {
  const { acquiring } = await makeAcquiring()
  expect((await fencer.acquire(acquiring)).isNewIdentity).toBe(false)
})

test('an owner that renews too late is told that it is none', async () => {
  const { acquiring, former } = await makeForgotten()
  const late = fencer.renew(acquiring.transactionalId, former)
  await expect(late).rejects.toMatchObject({ code: 'kafka.fenced' })
})
