// A fence of two logs, a derived and a dead letter partition, leaves one writer, without a transaction per batch.
// Checks the former owner's batches before, during and after the fence.
import { expect, test } from '@jest/globals'

import { newTransactionalId, refusal } from './cluster.ts'
import type { Place } from './cluster.ts'
import { batchOf, markerOffset, produce, readLog, valuesOf } from './log.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { LOG_APPEND_TIME } from './topics.ts'
import { addPartitions, endTransaction, fence, initProducerId } from './transactions.ts'
import type { Identity } from './transactions.ts'

const { cluster, topics } = useSharedBroker()

type Pair = { id: string; derived: Place; dead: Place; both: Place[] }

async function makePair(configs: Record<string, string> = LOG_APPEND_TIME): Promise<Pair> {
  const derived = { topic: await topics.make('derived', { configs }), partition: 0 }
  const dead = { topic: await topics.make('dead', { configs }), partition: 0 }
  return { id: newTransactionalId(), derived, dead, both: [derived, dead] }
}

const write = (place: Place, producer: Identity, sequence: number, ...values: string[]) =>
  produce(cluster, place, batchOf(values, { producer, sequence }))

test('a fence leaves its own marker, with its producer id and epoch, in both logs', async () => {
  const { id, derived, dead, both } = await makePair()
  const { marker, owner } = await fence(cluster, id, both)
  expect(markerOffset(await readLog(cluster, derived), marker)).toBe(0n)
  expect(markerOffset(await readLog(cluster, dead), marker)).toBe(0n)
  expect(owner).toEqual({ id: marker.id, epoch: marker.epoch + 1 })
})

test('each fence keeps the producer id and takes two epochs', async () => {
  const { id, both } = await makePair()
  const first = await fence(cluster, id, both)
  const second = await fence(cluster, id, both)
  expect(first.marker.epoch).toBe(0)
  expect(second.marker).toEqual({ id: first.owner.id, epoch: first.owner.epoch + 1 })
})

test('from the marker on both logs refuse the former owner, and take the new one from sequence 0', async () => {
  const { id, both } = await makePair()
  const { owner: former } = await fence(cluster, id, both)
  for (const place of both)
    expect(await write(place, former, 0, 'a')).toMatchObject({ error: 'NONE' })
  const { owner } = await fence(cluster, id, both)
  for (const place of both) {
    expect((await write(place, former, 1, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
    // A duplicate of a stored batch is refused, too.
    expect((await write(place, former, 0, 'a')).error).toBe('INVALID_PRODUCER_EPOCH')
    expect((await write(place, owner, 0, 'b')).error).toBe('NONE')
    expect(valuesOf(await readLog(cluster, place))).toEqual(['a', 'b'])
  }
})

test('between the first step and the marker the former owner still writes, and all of it lies below the marker', async () => {
  const { id, derived, both } = await makePair()
  const { owner: former } = await fence(cluster, id, both)
  const marker = await initProducerId(cluster, id)
  expect((await write(derived, former, 0, 'after the first step')).error).toBe('NONE')
  await addPartitions(cluster, id, marker, both)
  expect((await write(derived, former, 1, 'after the second')).error).toBe('NONE')
  await endTransaction(cluster, id, marker, 'abort')
  const owner = await initProducerId(cluster, id)
  expect((await write(derived, former, 2, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')

  expect((await write(derived, owner, 0, 'first of the new owner')).error).toBe('NONE')
  const log = await readLog(cluster, derived)
  const at = markerOffset(log, marker) ?? -1n
  const below = log.filter(({ offset }) => offset < at)
  expect(valuesOf(below)).toEqual(['after the first step', 'after the second'])
})

test('a former owner that never stops writing writes nothing above the marker', async () => {
  const { id, derived, both } = await makePair()
  const { owner: former } = await fence(cluster, id, both)
  const writing = (async () => {
    for (let sequence = 0; ; sequence++) {
      const { error } = await write(derived, former, sequence, `old ${sequence}`)
      if (error !== 'NONE') return { error, stored: sequence }
    }
  })()
  const { marker, owner } = await fence(cluster, id, both)
  await write(derived, owner, 0, 'new')
  const { error, stored } = await writing
  expect(error).toBe('INVALID_PRODUCER_EPOCH')
  const log = await readLog(cluster, derived)
  const at = markerOffset(log, marker) ?? -1n
  const old = Array.from({ length: stored }, (_, sequence) => `old ${sequence}`)
  expect(valuesOf(log.filter(({ offset }) => offset < at))).toEqual(old)
  expect(valuesOf(log.filter(({ offset }) => offset > at))).toEqual(['new'])
})

test('a former owner can neither renew itself nor fence with its old identity', async () => {
  const { id, both } = await makePair()
  const { owner: former } = await fence(cluster, id, both)
  await fence(cluster, id, both)
  expect(await refusal(initProducerId(cluster, id, former))).toBe('PRODUCER_FENCED')
  expect(await refusal(addPartitions(cluster, id, former, both))).toBe('PRODUCER_FENCED')
})

test('who renews with its own identity keeps the id, gets the next epoch, and writes on from sequence 0', async () => {
  const { id, derived, both } = await makePair()
  const { owner } = await fence(cluster, id, both)
  await write(derived, owner, 0, 'a', 'b')
  const renewed = await initProducerId(cluster, id, owner)
  expect(renewed).toEqual({ id: owner.id, epoch: owner.epoch + 1 })
  expect((await write(derived, renewed, 0, 'c')).error).toBe('NONE')
  // Without a marker in between, the broker refuses the older epoch only after a batch of the newer one.
  expect((await write(derived, owner, 2, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
  expect(valuesOf(await readLog(cluster, derived))).toEqual(['a', 'b', 'c'])
})

test('of two that fence at the same time one owns in the end, and the other learns it', async () => {
  const { id, derived, both } = await makePair()
  const ended = await Promise.allSettled([fence(cluster, id, both), fence(cluster, id, both)])
  const { owner } = await fence(cluster, id, both)
  expect((await write(derived, owner, 0, 'a')).error).toBe('NONE')
  const others = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value.owner] : []))
  const late = await Promise.all(others.map((other) => write(derived, other, 0, 'late')))
  expect(late.filter(({ error }) => error !== 'INVALID_PRODUCER_EPOCH')).toEqual([])
})

test("below and above another's open transaction the tail is read up to the own marker", async () => {
  const { id, derived, both } = await makePair()
  const { owner: former } = await fence(cluster, id, both)
  await write(derived, former, 0, 'a')
  const other = newTransactionalId()
  const stranger = await initProducerId(cluster, other)
  await addPartitions(cluster, other, stranger, [derived])
  const open = batchOf(['open'], { producer: stranger, sequence: 0, isTransactional: true })
  expect((await produce(cluster, derived, open, other)).error).toBe('NONE')
  await write(derived, former, 1, 'b')

  const { marker } = await fence(cluster, id, both)
  const log = await readLog(cluster, derived)
  expect(valuesOf(log)).toEqual(['a', 'open', 'b'])
  expect(markerOffset(log, marker)).toBeGreaterThan(3n)
  await endTransaction(cluster, other, stranger, 'abort')
})
