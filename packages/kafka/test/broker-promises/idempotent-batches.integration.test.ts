// Idempotent batches create no duplicates, without a transaction. They have the producer id and epoch that the writer's
// fence returned, and the writer's own sequence numbers.
import { expect, test } from '@jest/globals'

import { newTransactionalId } from './cluster.ts'
import type { Place } from './cluster.ts'
import { batchOf, produce, produceOn, readLog, valuesOf } from './log.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { fence, initProducerId } from './transactions.ts'
import type { Identity } from './transactions.ts'

const { cluster, topics } = useSharedBroker()

type Owned = { place: Place; owner: Identity }

async function own(): Promise<Owned> {
  const place = { topic: await topics.make('derived'), partition: 0 }
  const { owner } = await fence(cluster, newTransactionalId(), [place])
  return { place, owner }
}

const write = ({ place, owner }: Owned, sequence: number, ...values: string[]) =>
  produce(cluster, place, batchOf(values, { producer: owner, sequence }))

const stored = async ({ place }: Owned) => valuesOf(await readLog(cluster, place))

test('a repeated batch is not stored again, and gets the offset of the first time', async () => {
  const owned = await own()
  const bytes = batchOf(['a', 'b'], { producer: owned.owner, sequence: 0 })
  const first = await produce(cluster, owned.place, bytes)
  const again = await produce(cluster, owned.place, bytes)
  expect(first).toMatchObject({ error: 'NONE', offset: 1n })
  expect(again).toMatchObject({ error: 'NONE', offset: 1n })
  expect(await stored(owned)).toEqual(['a', 'b'])
})

test('each of the last five batches may be repeated, in any order; the sixth is refused', async () => {
  const owned = await own()
  for (let sequence = 0; sequence < 6; sequence++) await write(owned, sequence, `${sequence}`)
  for (const sequence of [3, 1, 5, 2, 4])
    expect(await write(owned, sequence, `${sequence}`)).toMatchObject({
      error: 'NONE',
      offset: BigInt(sequence + 1),
    })
  expect((await write(owned, 0, '0')).error).toMatch(/OUT_OF_ORDER|DUPLICATE_SEQUENCE/)
  expect(await stored(owned)).toEqual(['0', '1', '2', '3', '4', '5'])
})

test('a gap is refused, and nothing of the batch is stored', async () => {
  const owned = await own()
  await write(owned, 0, 'a')
  expect((await write(owned, 2, 'c')).error).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
  expect((await write(owned, 1, 'b')).error).toBe('NONE')
  expect(await stored(owned)).toEqual(['a', 'b'])
})

test('after a fence only sequence 0 begins', async () => {
  const owned = await own()
  expect((await write(owned, 1, 'b')).error).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
  expect((await write(owned, 0, 'a')).error).toBe('NONE')
})

test('five batches on the way at once are stored in their order', async () => {
  const owned = await own()
  const connection = await cluster.leader(owned.place)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, sequence) =>
      produceOn(connection, {
        ...owned.place,
        batch: batchOf([`${sequence}`], { producer: owned.owner, sequence }),
      }),
    ),
  )
  expect(answers.map(({ offset }) => offset)).toEqual(
    Array.from({ length: 50 }, (_, sequence) => BigInt(sequence + 1)),
  )
})

test('after 2^31 - 1 the sequence goes on with 0, inside a batch too', async () => {
  const place = { topic: await topics.make('wrap'), partition: 0 }
  // The broker doesn't know this producer, so it accepts any first sequence number.
  const owned = { place, owner: await initProducerId(cluster, null) }
  expect((await write(owned, 2 ** 31 - 3, 'a', 'b', 'c', 'd', 'e')).error).toBe('NONE')
  expect((await write(owned, 2, 'f')).error).toBe('NONE')
  expect((await write(owned, 2, 'f')).offset).toBe(5n)
  expect((await write(owned, 2 ** 31 - 3, 'a', 'b', 'c', 'd', 'e')).offset).toBe(0n)
  expect(await stored(owned)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('a batch that ends with 2^31 - 1 is followed by one that begins with 0', async () => {
  const place = { topic: await topics.make('wrap'), partition: 0 }
  const owned = { place, owner: await initProducerId(cluster, null) }
  expect((await write(owned, 2 ** 31 - 2, 'a', 'b')).error).toBe('NONE')
  expect((await write(owned, 0, 'c')).error).toBe('NONE')
})

test('other content under the epoch and sequences of a stored batch is acknowledged, but not written', async () => {
  const owned = await own()
  await write(owned, 0, 'a', 'b')
  expect(await write(owned, 0, 'x', 'y')).toMatchObject({ error: 'NONE', offset: 1n })
  expect(await stored(owned)).toEqual(['a', 'b'])
})

test('a part of a stored batch, or more than it, is refused', async () => {
  const owned = await own()
  await write(owned, 0, 'a', 'b')
  expect((await write(owned, 0, 'a')).error).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
  expect((await write(owned, 0, 'a', 'b', 'c')).error).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
  expect(await stored(owned)).toEqual(['a', 'b'])
})

test('a batch that is refused as too large takes no sequence', async () => {
  const owned = await own()
  await write(owned, 0, 'a')
  expect((await write(owned, 1, 'x'.repeat(2_000_000))).error).toBe('MESSAGE_TOO_LARGE')
  expect((await write(owned, 1, 'b')).error).toBe('NONE')
})
