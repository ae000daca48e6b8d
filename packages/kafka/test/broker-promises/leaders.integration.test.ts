// Partitions without a leader while they are fenced, or with another leader afterwards.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { metadataV12 } from '@platformatic/kafka'

import { delay } from '@weir/kit'

import { eventually, newTransactionalId, openCluster } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'
import { batchOf, markerOffset, produce, readLog, valuesOf } from './log.ts'
import { openTopics } from './topics.ts'
import type { Topics } from './topics.ts'
import { addPartitions, endTransaction, fence, initProducerId } from './transactions.ts'
import type { Identity } from './transactions.ts'
import { FIRST, SECOND, startTwoBrokers } from './two-brokers.ts'
import type { TwoBrokers } from './two-brokers.ts'

let both: TwoBrokers
let cluster: Cluster
let topics: Topics

beforeAll(async () => {
  both = await startTwoBrokers()
  cluster = openCluster(both.brokers)
  topics = openTopics(both.brokers)
}, 180_000)

afterAll(async () => {
  await topics.close()
  await cluster.close()
  await both.stop()
})

const write = (place: Place, producer: Identity, sequence: number, value: string) =>
  produce(cluster, place, batchOf([value], { producer, sequence }))

async function stateOf({ topic }: Place): Promise<{ leader: number; inSync: number }> {
  const connection = await cluster.at(both.brokers[0] ?? '')
  // The client throws if a partition has no leader.
  const answer = await metadataV12.api
    .async(connection, [topic], false, false)
    .catch(() => undefined)
  const found = answer?.topics[0]?.partitions[0]
  return { leader: found?.leaderId ?? NOBODY, inSync: found?.isrNodes.length ?? 0 }
}

const NOBODY = -1

const untilLed = (place: Place, by: number, inSync = 0) =>
  eventually(`leader ${by}`, async () => {
    const state = await stateOf(place)
    if (state.leader !== by || state.inSync < inSync) throw new Error('not yet')
  })

const ANSWERS_WITHIN_MS = 5_000

// Kafka 3.9 and 4.0 delay the second InitProducerId until the marker is written. Kafka 4.3.1 never writes the marker
// (KAFKA-20734).
test('while a partition has no leader the second InitProducerId waits, or answers without its marker, which the next fence writes', async () => {
  const here = { topic: await topics.make('here', { replicas: [FIRST] }), partition: 0 }
  const there = { topic: await topics.make('there', { replicas: [SECOND] }), partition: 0 }
  const id = newTransactionalId()
  const { owner: former } = await fence(cluster, id, [here, there])
  await write(there, former, 0, 'a')
  await both.second.killBroker()
  await untilLed(there, NOBODY)

  const marker = await initProducerId(cluster, id)
  await addPartitions(cluster, id, marker, [here, there])
  await endTransaction(cluster, id, marker, 'abort')
  const answering = initProducerId(cluster, id)
  const waited = delay(ANSWERS_WITHIN_MS).then(() => undefined)
  const answer = await Promise.race([answering, waited])
  await both.second.restartBroker()
  await untilLed(there, SECOND)
  const early = await answering
  expect(markerOffset(await readLog(cluster, here), marker)).toBe(1n)
  const found = markerOffset(await readLog(cluster, there), marker)
  const late = await write(there, former, 1, 'late')
  expect(late.error).toBe(found === undefined ? 'NONE' : 'INVALID_PRODUCER_EPOCH')
  expect({ answer, found }).not.toEqual({ answer: early, found: 2n })

  const again = await fence(cluster, id, [here, there])
  expect(markerOffset(await readLog(cluster, there), again.marker)).toBe(3n)
  expect((await write(there, former, 2, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
  expect((await write(there, early, 0, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
}, 180_000)

async function makeReplicated() {
  const place = { topic: await topics.make('moved', { replicas: [SECOND, FIRST] }), partition: 0 }
  await untilLed(place, SECOND, 2)
  const id = newTransactionalId()
  return { place, id, owner: (await fence(cluster, id, [place])).owner }
}

test('after a leader was killed the next one has the marker, what lies below it, and the last batches of the owner', async () => {
  const { place, id, owner: former } = await makeReplicated()
  for (let sequence = 0; sequence < 3; sequence++)
    await write(place, former, sequence, `${sequence}`)
  const { marker, owner } = await fence(cluster, id, [place])
  for (let sequence = 0; sequence < 5; sequence++)
    await write(place, owner, sequence, `new ${sequence}`)
  await both.second.killBroker()
  await untilLed(place, FIRST)

  for (let sequence = 0; sequence < 5; sequence++)
    expect(await write(place, owner, sequence, `new ${sequence}`)).toMatchObject({
      error: 'NONE',
      offset: BigInt(5 + sequence),
    })
  expect((await write(place, former, 3, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
  const log = await readLog(cluster, place)
  expect(markerOffset(log, marker)).toBe(4n)
  expect(valuesOf(log.filter(({ offset }) => offset < 4n))).toEqual(['0', '1', '2'])
  await both.second.restartBroker()
  await untilLed(place, FIRST, 2)
}, 180_000)

test.each([1, 2, 3])(
  'a leader that is killed after step %i of a fence: the marker is in the log of the next one',
  async (steps) => {
    const { place, id, owner: former } = await makeReplicated()
    await write(place, former, 0, 'a')
    const kill = async (step: number) => {
      if (step === steps) await both.second.killBroker()
    }
    const marker = await initProducerId(cluster, id)
    await kill(1)
    await addPartitions(cluster, id, marker, [place])
    await kill(2)
    await endTransaction(cluster, id, marker, 'abort')
    await kill(3)
    const owner = await initProducerId(cluster, id)
    await untilLed(place, FIRST)
    const found = markerOffset(await readLog(cluster, place), marker)
    const last = found === undefined ? await fence(cluster, id, [place]) : { marker, owner }
    expect(markerOffset(await readLog(cluster, place), last.marker)).toBeGreaterThan(1n)
    expect((await write(place, former, 1, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
    expect((await write(place, last.owner, 0, 'b')).error).toBe('NONE')
    await both.second.restartBroker()
    await untilLed(place, FIRST, 2)
  },
  180_000,
)
