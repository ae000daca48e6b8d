import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { createLogSearch } from '../../src/read/log-search.ts'
import type { LogSearch } from '../../src/read/log-search.ts'
import type { SourceRecord } from '../../src/protocol/source-record.ts'
import { newTransactionalId } from '../broker-promises/cluster.ts'
import type { Place } from '../broker-promises/cluster.ts'
import { batchOf, produce, readLog } from '../broker-promises/log.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { LOG_APPEND_TIME } from '../broker-promises/topics.ts'
import { addPartitions, endTransaction, initProducerId } from '../broker-promises/transactions.ts'
import type { Identity } from '../broker-promises/transactions.ts'
import { connect, removeRecordsBefore } from '../support.ts'

const { cluster, topics } = useSharedBroker()
let search: LogSearch

beforeAll(() => {
  search = createLogSearch(connect())
})

afterAll(async () => {
  await search.close()
})

const newPlace = async (configs: Record<string, string> = {}): Promise<Place> => {
  const made = { partitions: 2, configs: { ...LOG_APPEND_TIME, ...configs } }
  return { topic: await topics.make('searched', made), partition: 1 }
}

/** A writer that uses no transactions. */
async function writerOf(place: Place) {
  const producer = await initProducerId(cluster, null)
  let sequence = 0
  return async (...values: string[]) => {
    const { error } = await produce(cluster, place, batchOf(values, { producer, sequence }))
    expect(error).toBe('NONE')
    sequence += values.length
  }
}

/** Writes one record as a transactional writer, and leaves the transaction open. */
async function openTransaction(place: Place, value: string) {
  const id = newTransactionalId()
  const producer: Identity = await initProducerId(cluster, id)
  await addPartitions(cluster, id, producer, [place])
  const batch = batchOf([value], { producer, sequence: 0, isTransactional: true })
  expect((await produce(cluster, place, batch, id)).error).toBe('NONE')
  return async (outcome: 'commit' | 'abort') => {
    await endTransaction(cluster, id, producer, outcome)
    // Resolves once the marker is written.
    await initProducerId(cluster, id)
  }
}

async function endOf(place: Place): Promise<bigint> {
  const last = (await readLog(cluster, place)).at(-1)
  return last === undefined ? 0n : last.offset + BigInt(Math.max(1, last.values.length))
}

/** Returns a text for records whose value begins with `=`. */
const say = ({ value, offset, partition }: SourceRecord) =>
  value?.toString().startsWith('=') ? `${partition}/${offset} ${value.toString()}` : undefined

const findLast = async (place: Place, to?: bigint) =>
  search.findLast({ ...place, to: to ?? (await endOf(place)) }, say)

const silent = (count: number) => Array.from({ length: count }, (_, at) => `${at}`)

test('an empty log, and one that holds nothing but markers, have no last record', async () => {
  const place = await newPlace()
  expect(await findLast(place)).toBeUndefined()
  const id = newTransactionalId()
  for (let at = 0; at < 20; at += 1) {
    const producer = await initProducerId(cluster, id)
    await addPartitions(cluster, id, producer, [place])
    await endTransaction(cluster, id, producer, 'abort')
  }
  expect(await findLast(place)).toBeUndefined()
})

test('the last record that says something is found, wherever it is, and none from the offset on', async () => {
  const place = await newPlace()
  const write = await writerOf(place)
  await write('=a', '=b', 'c')
  expect(await findLast(place)).toBe('1/1 =b')
  expect(await findLast(place, 1n)).toBe('1/0 =a')
  for (let at = 0; at < 3; at += 1) await write(...silent(5))
  expect(await findLast(place)).toBe('1/1 =b')
  for (let at = 0; at < 40; at += 1) await write(...silent(500))
  expect(await findLast(place)).toBe('1/1 =b')
  await write('=d')
  expect(await findLast(place)).toBe('1/20018 =d')
  expect(await findLast(place, 20_018n)).toBe('1/1 =b')
})

test('records of a transaction count once a marker commits them, aborted and open ones never', async () => {
  const place = await newPlace()
  const write = await writerOf(place)
  await write('=plain')
  const [committed, aborted] = [
    await openTransaction(place, '=committed'),
    await openTransaction(place, '=aborted'),
  ]
  const open = await openTransaction(place, '=open')
  expect(await findLast(place)).toBe('1/0 =plain')
  // The markers are found in an earlier step than the records.
  for (let at = 0; at < 10; at += 1) await write(...silent(20))
  const before = await endOf(place)
  await committed('commit')
  await aborted('abort')
  expect(await findLast(place)).toBe('1/1 =committed')
  expect(await findLast(place, before)).toBe('1/0 =plain')
  for (let at = 0; at < 10; at += 1) await write(...silent(20))
  expect(await findLast(place)).toBe('1/1 =committed')
  await open('abort')
  expect(await findLast(place)).toBe('1/1 =committed')
})

test('of a log whose beginning was removed the rest is searched, and one without any rest has no last record', async () => {
  const place = await newPlace()
  const write = await writerOf(place)
  await write('=a')
  for (let at = 0; at < 10; at += 1) await write(...silent(10))
  await removeRecordsBefore(place.topic, place.partition, 50n)
  expect(await findLast(place, 101n)).toBeUndefined()
  await write('=b')
  expect(await findLast(place, 102n)).toBe('1/101 =b')
  await removeRecordsBefore(place.topic, place.partition, 102n)
  expect(await findLast(place, 102n)).toBeUndefined()
})

test.each(['gzip', 'zstd'])('a log that Kafka packs with %s is searched', async (codec) => {
  const place = await newPlace({ 'compression.type': codec })
  const write = await writerOf(place)
  await write('=a', ...silent(100))
  expect(await findLast(place)).toBe('1/0 =a')
})

test('records that are larger than a fetch are read one by one', async () => {
  const place = await newPlace({ 'max.message.bytes': '4194304' })
  const write = await writerOf(place)
  await write('=a')
  for (let at = 0; at < 4; at += 1) await write('x'.repeat(2_000_000))
  expect(await findLast(place)).toBe('1/0 =a')
})

test('without a broker it is unavailable', async () => {
  const lonely = createLogSearch(connect(['127.0.0.1:1']))
  const found = lonely.findLast({ topic: 'a', partition: 0, to: 1n }, say)
  await expect(found).rejects.toMatchObject({ code: 'kafka.unavailable' })
  await lonely.close()
})
