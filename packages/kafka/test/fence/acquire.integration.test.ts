// The owner that acquires partitions is their only writer, whatever former writers do. The test reads the logs with
// requests of its own.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { hasCode } from '@weir/kit'

import { createFencer } from '../../src/fence/acquire.ts'
import type { Fencer } from '../../src/fence/acquire.ts'
import { newTransactionalId } from '../broker-promises/cluster.ts'
import type { Place } from '../broker-promises/cluster.ts'
import { batchOf, markerOffset, produce, readLog, valuesOf } from '../broker-promises/log.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { addPartitions, endTransaction, initProducerId } from '../broker-promises/transactions.ts'
import type { Identity } from '../broker-promises/transactions.ts'
import { connectOverNetwork } from '../network.ts'
import { connect, uniqueName } from '../support.ts'

const { cluster, topics } = useSharedBroker()
let fencer: Fencer
const cleanUps: (() => void)[] = []

beforeAll(() => {
  fencer = createFencer(connect())
})

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

afterAll(async () => {
  fencer.close()
})

const DEADLINE_MS = 60_000
const [FETCH, INIT_PRODUCER_ID, ADD_PARTITIONS_TO_TXN, END_TXN] = [1, 22, 24, 26]

type Pair = { transactionalId: string; partitions: Place[]; deadlineMs: number }

async function makePair(): Promise<Pair> {
  const derived = { topic: await topics.make('derived', { partitions: 2 }), partition: 1 }
  const dead = { topic: await topics.make('dead', { partitions: 2 }), partition: 1 }
  const transactionalId = newTransactionalId()
  return { transactionalId, partitions: [derived, dead], deadlineMs: DEADLINE_MS }
}

const placeIn = ({ partitions: [place] }: Pair): Place => place ?? { topic: '', partition: 0 }

const write = (place: Place, producer: Identity, sequence: number, ...values: string[]) =>
  produce(cluster, place, batchOf(values, { producer, sequence }))

const firstValues = async (place: Place, offset = 0n): Promise<string[]> =>
  valuesOf((await readLog(cluster, place)).filter((batch) => batch.offset < offset))

test('who acquires partitions that nobody has written may write all of them, above its marker', async () => {
  const pair = await makePair()
  const acquired = await fencer.acquire(pair)
  expect(acquired).toMatchObject({ markers: [0n, 0n], isNewIdentity: false })
  for (const place of pair.partitions) {
    expect(await write(place, acquired.identity, 0, 'a')).toMatchObject({
      error: 'NONE',
      offset: 1n,
    })
    const { id, epoch } = acquired.identity
    expect(markerOffset(await readLog(cluster, place), { id, epoch: epoch - 1 })).toBe(0n)
  }
})

test('what a former owner wrote lies below the markers, and it writes no more; the producer id stays', async () => {
  const pair = await makePair()
  const former = await fencer.acquire(pair)
  for (const place of pair.partitions) await write(place, former.identity, 0, 'a', 'b')
  const acquired = await fencer.acquire(pair)
  expect(acquired.identity.id).toBe(former.identity.id)
  expect(acquired).toMatchObject({ markers: [3n, 3n], isNewIdentity: false })
  for (const place of pair.partitions) {
    expect((await write(place, former.identity, 2, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
    expect((await write(place, acquired.identity, 0, 'c')).error).toBe('NONE')
  }
})

test('a former owner that never stops writing writes nothing above the marker', async () => {
  const pair = await makePair()
  const place = placeIn(pair)
  const { identity: former } = await fencer.acquire(pair)
  const writing = (async () => {
    for (let sequence = 0; ; sequence++) {
      const { error } = await write(place, former, sequence, `old ${sequence}`)
      if (error !== 'NONE') return { error, stored: sequence }
    }
  })()
  const { identity, markers } = await fencer.acquire(pair)
  await write(place, identity, 0, 'new')
  const { error, stored } = await writing
  expect(error).toBe('INVALID_PRODUCER_EPOCH')
  const old = Array.from({ length: stored }, (_, sequence) => `old ${sequence}`)
  expect(await firstValues(place, markers[0])).toEqual(old)
  expect(valuesOf(await readLog(cluster, place))).toEqual([...old, 'new'])
})

test.each([2, 5])(
  'of %i that acquire at once at most one may write afterwards, and it is the last one; if all overtook one another, the next may',
  async (count) => {
    const pair = await makePair()
    const others = Array.from({ length: count - 1 }, () => createFencer(connect()))
    cleanUps.push(...others.map((other) => other.close))
    const ended = await Promise.allSettled([fencer, ...others].map((one) => one.acquire(pair)))
    const owners = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const refused = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused.filter((error) => !hasCode(error, 'kafka.fenced'))).toEqual([])
    if (owners.length === 0) owners.push(await fencer.acquire(pair))
    const last = owners.toSorted((a, b) => b.identity.epoch - a.identity.epoch)[0]
    for (const place of pair.partitions)
      for (const owner of owners) {
        const { error } = await write(place, owner.identity, 0, 'a')
        expect(error).toBe(owner === last ? 'NONE' : 'INVALID_PRODUCER_EPOCH')
      }
  },
)

test('who is overtaken before its last step does not own, and whoever overtook it does', async () => {
  const pair = await makePair()
  const network = await connectOverNetwork()
  const slow = createFencer(network.kafka)
  cleanUps.push(slow.close)
  const ending = network.hold(END_TXN)
  const overtaken = slow.acquire(pair).catch((error: unknown) => error)
  await ending.began
  ending.release()
  const last = network.hold(INIT_PRODUCER_ID)
  await last.began
  const { identity } = await fencer.acquire(pair)
  last.release()
  expect(await overtaken).toMatchObject({ code: 'kafka.fenced' })
  for (const place of pair.partitions)
    expect((await write(place, identity, 0, 'a')).error).toBe('NONE')
})

test("another's open transaction in a partition holds up nothing", async () => {
  const pair = await makePair()
  const place = placeIn(pair)
  const { identity: former } = await fencer.acquire(pair)
  const other = newTransactionalId()
  const stranger = await initProducerId(cluster, other)
  await addPartitions(cluster, other, stranger, [place])
  const open = batchOf(['open'], { producer: stranger, sequence: 0, isTransactional: true })
  await produce(cluster, place, open, other)
  await write(place, former, 0, 'a')
  const { markers } = await fencer.acquire(pair)
  expect(await firstValues(place, markers[0])).toEqual(['open', 'a'])
  await endTransaction(cluster, other, stranger, 'abort')
})

test('a transaction that a former owner has left open under the same id is ended, and lies below the marker', async () => {
  const pair = await makePair()
  const place = placeIn(pair)
  await fencer.acquire(pair)
  const former = await initProducerId(cluster, pair.transactionalId)
  await addPartitions(cluster, pair.transactionalId, former, pair.partitions)
  const open = batchOf(['open'], { producer: former, sequence: 0, isTransactional: true })
  await produce(cluster, place, open, pair.transactionalId)
  const { markers, identity } = await fencer.acquire(pair)
  expect(await firstValues(place, markers[0])).toEqual(['open'])
  expect((await write(place, identity, 0, 'a')).error).toBe('NONE')
})

test('connections that are lost meanwhile change nothing in the end', async () => {
  const pair = await makePair()
  await fencer.acquire(pair)
  await fencer.acquire(pair)
  const { identity: former } = await fencer.acquire(pair)
  const network = await connectOverNetwork()
  const other = createFencer(network.kafka)
  cleanUps.push(other.close)
  for (const apiKey of [INIT_PRODUCER_ID, ADD_PARTITIONS_TO_TXN, END_TXN, FETCH]) {
    const held = network.hold(apiKey)
    const acquiring = other.acquire(pair)
    await held.began
    network.cut()
    held.release()
    network.mend()
    const { identity, isNewIdentity } = await acquiring
    expect(isNewIdentity).toBe(false)
    for (const place of pair.partitions) {
      expect((await write(place, former, 0, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
      expect((await write(place, identity, 0, 'a')).error).toBe('NONE')
    }
  }
})

test('who renews keeps the producer id, with a newer epoch; who was fenced meanwhile is told so', async () => {
  const pair = await makePair()
  const place = placeIn(pair)
  const { identity } = await fencer.acquire(pair)
  await write(place, identity, 0, 'a')
  const renewed = await fencer.renew(pair.transactionalId, identity)
  expect(renewed).toEqual({ id: identity.id, epoch: identity.epoch + 1 })
  expect((await write(place, renewed, 0, 'b')).error).toBe('NONE')
  await fencer.acquire(pair)
  const late = fencer.renew(pair.transactionalId, renewed)
  await expect(late).rejects.toMatchObject({ code: 'kafka.fenced' })
})

test('without the topic nothing is fenced, and the deadline counts', async () => {
  const transactionalId = newTransactionalId()
  const partitions = [{ topic: uniqueName('never'), partition: 0 }]
  const acquiring = fencer.acquire({ transactionalId, partitions, deadlineMs: 1_000 })
  await expect(acquiring).rejects.toMatchObject({ code: 'kafka.unavailable' })
  expect((await initProducerId(cluster, transactionalId)).epoch).toBe(0)
})

test('without a broker it is unavailable', async () => {
  const lonely = createFencer(connect(['127.0.0.1:1']))
  cleanUps.push(lonely.close)
  const { partitions, transactionalId } = await makePair()
  const acquiring = lonely.acquire({ transactionalId, partitions, deadlineMs: 1_000 })
  await expect(acquiring).rejects.toMatchObject({ code: 'kafka.unavailable' })
})
