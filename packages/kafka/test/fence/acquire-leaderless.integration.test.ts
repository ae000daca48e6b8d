// A partition loses its leader while it is acquired. Kafka 4.3.1 never writes the marker there, but reports the fence
// as complete (KAFKA-20734). Kafka 3.9 and 4.0 wait for the marker.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeTransactionsV0, metadataV12 } from '@platformatic/kafka'

import { createFencer } from '../../src/fence/acquire.ts'
import type { Acquired, Fencer } from '../../src/fence/acquire.ts'
import { eventually, newTransactionalId, openCluster } from '../broker-promises/cluster.ts'
import type { Cluster, Place } from '../broker-promises/cluster.ts'
import { batchOf, markerOffset, produce, readLog } from '../broker-promises/log.ts'
import { openTopics } from '../broker-promises/topics.ts'
import type { Topics } from '../broker-promises/topics.ts'
import type { Identity } from '../broker-promises/transactions.ts'
import { FIRST, SECOND, startTwoBrokers } from '../broker-promises/two-brokers.ts'
import type { TwoBrokers } from '../broker-promises/two-brokers.ts'
import { connectOverNetwork } from '../network.ts'
import type { Network } from '../network.ts'

let both: TwoBrokers
let cluster: Cluster
let topics: Topics
let network: Network
let fencer: Fencer

const [END_TXN, INIT_PRODUCER_ID] = [26, 22]
const DEADLINE_MS = 120_000
const NOBODY = -1

beforeAll(async () => {
  both = await startTwoBrokers()
  cluster = openCluster(both.brokers)
  topics = openTopics(both.brokers)
  // Only the first broker, which coordinates all transactions, is behind this network.
  network = await connectOverNetwork(both.brokers[0])
  fencer = createFencer(network.kafka)
}, 180_000)

afterAll(async () => {
  fencer.close()
  await topics.close()
  await cluster.close()
  await both.stop()
})

const write = (place: Place, producer: Identity, sequence: number, value: string) =>
  produce(cluster, place, batchOf([value], { producer, sequence }))

async function leaderOf({ topic }: Place): Promise<number> {
  const connection = await cluster.at(both.brokers[0] ?? '')
  // The client throws if a partition has no leader.
  const answer = await metadataV12.api
    .async(connection, [topic], false, false)
    .catch(() => undefined)
  return answer?.topics[0]?.partitions[0]?.leaderId ?? NOBODY
}

const untilLed = (place: Place, by: number) =>
  eventually(`leader ${by}`, async () => {
    if ((await leaderOf(place)) !== by) throw new Error('not yet')
  })

/**
 * Waits until Kafka reports the transaction's end. Stops after five seconds, because Kafka 3.9 and 4.0 wait for the
 * marker.
 */
async function untilSaidToHaveEnded(transactionalId: string): Promise<void> {
  const until = performance.now() + 5_000
  while (performance.now() < until) {
    const connection = await cluster.coordinator('transaction', transactionalId)
    const { transactionStates } = await describeTransactionsV0.api.async(connection, [
      transactionalId,
    ])
    if (transactionStates[0]?.transactionState === 'CompleteAbort') return
  }
}

async function expectOwner(
  { identity, markers }: Acquired,
  former: Identity,
  places: readonly Place[],
) {
  for (const [at, place] of places.entries()) {
    expect((await write(place, former, 1, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
    expect((await write(place, identity, 0, 'new')).error).toBe('NONE')
    const fence = { id: identity.id, epoch: identity.epoch - 1 }
    expect(markerOffset(await readLog(cluster, place), fence)).toBe(markers[at])
  }
}

async function makeWritten() {
  const here = { topic: await topics.make('here', { replicas: [FIRST] }), partition: 0 }
  const there = { topic: await topics.make('there', { replicas: [SECOND] }), partition: 0 }
  const partitions = [here, there]
  const acquiring = { transactionalId: newTransactionalId(), partitions, deadlineMs: DEADLINE_MS }
  const { identity: former } = await fencer.acquire(acquiring)
  for (const place of partitions) await write(place, former, 0, 'old')
  return { acquiring, former, there, partitions }
}

test('a marker that Kafka left out is missed, and the fence is made again', async () => {
  const { acquiring, former, there, partitions } = await makeWritten()
  const ending = network.hold(END_TXN)
  const acquired = fencer.acquire(acquiring)
  await ending.began
  await both.second.killBroker()
  await untilLed(there, NOBODY)
  ending.release()
  const renewing = network.hold(INIT_PRODUCER_ID)
  await untilSaidToHaveEnded(acquiring.transactionalId)
  await both.second.restartBroker()
  await untilLed(there, SECOND)
  renewing.release()
  await expectOwner(await acquired, former, partitions)
}, 300_000)

test('while a partition has no leader its fence waits, and others are acquired', async () => {
  const { acquiring, former, there, partitions } = await makeWritten()
  await both.second.killBroker()
  await untilLed(there, NOBODY)
  const acquired = fencer.acquire(acquiring)
  const other = { topic: await topics.make('other', { replicas: [FIRST] }), partition: 0 }
  const others = { transactionalId: newTransactionalId(), partitions: [other] }
  expect((await fencer.acquire({ ...others, deadlineMs: DEADLINE_MS })).markers).toEqual([0n])
  await both.second.restartBroker()
  await expectOwner(await acquired, former, partitions)
}, 300_000)
