import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'

import { AppError } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { createTransactor } from '../../src/fence/transactor.ts'
import type { Transactor } from '../../src/fence/transactor.ts'
import { connectOverNetwork } from '../network.ts'
import {
  connect,
  deleteTopicsMade,
  makeTopic,
  readAll,
  readRecords,
  uniqueName,
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
  await deleteTopicsMade(admin)
  await admin.close()
})

function transactorFor(transactionalId = uniqueName('writer'), over = kafka): Transactor {
  const transactor = createTransactor(over, { transactionalId, timeoutMs: 10_000 })
  cleanUps.push(() => transactor.close())
  return transactor
}

const record = (topic: string, key: string, partition = 0) => ({
  topic,
  partition,
  key,
  value: `${key}!`,
  headers: { change: key },
  // The current time, because a record older than the topic's retention may be deleted before it is read.
  timestampMs: Date.now(),
})

test('what a transaction wrote to several topics is seen whole, as soon as it resolves', async () => {
  // Given
  const [one, two] = [await makeTopic(admin, 'txn', 2), await makeTopic(admin, 'txn', 1)]
  const transactor = transactorFor()
  await transactor.fence()

  // When
  const answer = await transactor.transaction(async (transaction) => {
    await transaction.send([record(one, 'a', 1), record(two, 'b')])
    await transaction.send([record(two, 'c')])
    return 'done'
  })
  const ends = await admin.offsets.ends(two, { isolation: 'read_committed' })

  // Then
  expect(answer).toBe('done')
  expect(ends).toEqual([3n])
  expect(await readAll(one)).toEqual(['a=a!'])
  expect(await readAll(two)).toEqual(['b=b!', 'c=c!'])
})

test('transactions follow one another without a pause', async () => {
  // Given
  const topic = await makeTopic(admin, 'txn-fast', 1)
  const transactor = transactorFor()
  await transactor.fence()
  const keys = Array.from({ length: 12 }, (_, index) => `k${index}`)

  // When
  const timers = jest.spyOn(globalThis, 'setTimeout')
  for (const key of keys)
    await transactor.transaction((transaction) => transaction.send([record(topic, key)]))
  const pausesMs = timers.mock.calls.map(([, ms]) => ms ?? 0)
  timers.mockRestore()

  // Then there are no retry pauses, only time-outs of several seconds
  expect(pausesMs.length).toBeGreaterThan(0)
  expect(pausesMs.filter((ms) => ms >= 200 && ms < 1_000)).toEqual([])
  expect(await readAll(topic)).toEqual(keys.map((key) => `${key}=${key}!`))
})

test('a fenced transactor cannot commit, and what it wrote is never seen', async () => {
  // Given
  const topic = await makeTopic(admin, 'txn-fence', 1)
  const id = uniqueName('writer')
  const [first, second] = [transactorFor(id), transactorFor(id)]
  await first.fence()

  // When
  const outcome = first.transaction(async (transaction) => {
    await transaction.send([record(topic, 'first')])
    await second.fence()
  })

  // Then
  await expect(outcome).rejects.toMatchObject({ code: 'kafka.fenced' })
  await second.transaction((transaction) => transaction.send([record(topic, 'second')]))
  expect(await readAll(topic)).toEqual(['second=second!'])
  await expect(first.transaction(() => Promise.resolve())).rejects.toThrow('spent')
})

test('a transactor that is fenced between two transactions learns of it at the next', async () => {
  // Given
  const topic = await makeTopic(admin, 'txn-fence', 1)
  const id = uniqueName('writer')
  const first = transactorFor(id)
  await first.fence()
  await first.transaction((transaction) => transaction.send([record(topic, 'a')]))

  // When
  await admin.groups.fence(id)

  // Then
  const late = first.transaction((transaction) => transaction.send([record(topic, 'b')]))
  await expect(late).rejects.toMatchObject({ code: 'kafka.fenced' })
  expect(await readAll(topic)).toEqual(['a=a!'])
})

test('when the work throws, its writes are undone, the error is passed on, and the next one counts', async () => {
  // Given
  const topic = await makeTopic(admin, 'txn-abort', 1)
  const transactor = transactorFor()
  await transactor.fence()

  // When
  const outcome = transactor.transaction(async (transaction) => {
    await transaction.send([record(topic, 'undone')])
    throw new AppError('taken', 'the name is taken')
  })

  // Then
  await expect(outcome).rejects.toMatchObject({ code: 'taken', message: 'the name is taken' })
  await transactor.transaction((transaction) => transaction.send([record(topic, 'done')]))
  expect(await readAll(topic)).toEqual(['done=done!'])
})

const sized = (topic: string, key: string, bytes: number) => ({
  ...record(topic, key),
  value: 'x'.repeat(bytes),
})
const keysIn = async (topic: string) => (await readRecords(topic)).map(({ key }) => String(key))

test('what is sent together may be more than a topic takes at once', async () => {
  const topic = await makeTopic(admin, 'txn-large', 1)
  const transactor = transactorFor()
  await transactor.fence()

  const keys = ['a', 'b', 'c', 'd', 'e']
  await transactor.transaction(({ send }) => send(keys.map((key) => sized(topic, key, 400_000))))

  expect(await keysIn(topic)).toEqual(keys)
})

test('a record that Kafka refuses because of itself is told as such, and nothing counts', async () => {
  const topic = await makeTopic(admin, 'txn-refused', 1)
  const id = uniqueName('writer')
  const transactor = transactorFor(id)
  await transactor.fence()

  const outcome = transactor.transaction(async ({ send }) => {
    await send([record(topic, 'small')])
    await send([sized(topic, 'large', 2_000_000)])
  })

  await expect(outcome).rejects.toMatchObject({ code: 'kafka.record_refused' })
  const next = transactorFor(id)
  await next.fence()
  await next.transaction(({ send }) => send([record(topic, 'done')]))
  expect(await keysIn(topic)).toEqual(['done'])
})

test('a connection lost before the commit leaves nothing behind, and the transactor is spent', async () => {
  // Given
  const topic = await makeTopic(admin, 'txn-cut', 1)
  const network = await connectOverNetwork()
  const id = uniqueName('writer')
  const transactor = transactorFor(id, network.kafka)
  await transactor.fence()

  // When
  const outcome = transactor.transaction(async (transaction) => {
    await transaction.send([record(topic, 'a')])
    network.cut()
    await transaction.send([record(topic, 'b')])
  })

  // Then
  await expect(outcome).rejects.toMatchObject({ code: 'kafka.unavailable' })
  network.mend()
  await expect(transactor.transaction(() => Promise.resolve())).rejects.toThrow('spent')
  await admin.groups.fence(id)
  expect(await readAll(topic)).toEqual([])
})

test('a commit whose answer is lost is reported as of unknown outcome', async () => {
  // Given
  const topic = await makeTopic(admin, 'txn-unknown', 1)
  const network = await connectOverNetwork()
  const transactor = transactorFor(uniqueName('writer'), network.kafka)
  await transactor.fence()

  // When
  const outcome = transactor.transaction(async (transaction) => {
    await transaction.send([record(topic, 'a')])
    network.cut()
  })

  // Then
  await expect(outcome).rejects.toMatchObject({ code: 'kafka.outcome_unknown' })
})

test('writing to a topic that is not there fails, and does not make it', async () => {
  // Given
  const topic = uniqueName('txn-never')
  const transactor = transactorFor()
  await transactor.fence()

  // When
  const outcome = transactor.transaction((transaction) => transaction.send([record(topic, 'a')]))

  // Then
  await expect(outcome).rejects.toMatchObject({ code: 'kafka.unavailable' })
  expect(await admin.topics.exists(topic)).toBe(false)
})

test('without a broker, fencing fails as unavailable', async () => {
  const transactor = transactorFor(uniqueName('writer'), connect(['127.0.0.1:1']))

  await expect(transactor.fence()).rejects.toMatchObject({ code: 'kafka.unavailable' })
})
