// A replica that acquires a derived partition continues exactly where the logs end, despite writes and commits of other
// clients.
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { createAdmin, createPositions } from '@weir/kafka'
import { inSoak } from '@weir/testkit'
import {
  BROKERS,
  plainKafka,
  removeRecordsBefore,
  uniqueName,
} from '../../../../packages/kafka/test/support.ts'
import type { DerivedPartition } from '../../src/derive/partition-logs.ts'
import { openDerivedPartitions, openReplicas, notedNexts } from '../support/derived-partitions.ts'

const partitions = openDerivedPartitions(BROKERS)
const replicas = openReplicas(partitions)
const { make, append, record, transact, kafka } = partitions
const { one, other, open, own, nextOf, lines } = replicas
const admin = createAdmin(kafka)
const positions = createPositions(kafka)

beforeEach(() => void lines.splice(0))

afterAll(async () => {
  await Promise.all([replicas.close(), positions.close(), admin.close()])
  await partitions.close()
})

const note = (of: DerivedPartition, next: bigint, more: { end?: bigint; epoch?: number } = {}) =>
  one.note([{ of, next, end: 0n, epoch: 1, ...more }])

const endOf = async (topic: string, { partition }: DerivedPartition): Promise<bigint> =>
  (await admin.offsets.ends(topic, { isolation: 'read_uncommitted' }))[partition] ?? 0n

/** Removes all records, as retention would. */
const removeAll = async (topic: string, of: DerivedPartition): Promise<void> =>
  removeRecordsBefore(topic, of.partition, await endOf(topic, of))

const positionLost = expect.objectContaining({ code: 'derive.position_lost' })

test('a partition into which nothing was ever derived begins at the start offset, however often it was acquired', async () => {
  const of = await make({ startOffset: 41n })
  expect([await nextOf(of), await nextOf(of)]).toEqual([41n, 41n])
  expect(await notedNexts(one, [of])).toEqual(new Map())
})

test('it goes on after what was derived or dead-lettered, whichever is further', async () => {
  const of = await make()
  const first = await own(of)
  await append(of, first.derived, 0n, 3n, 4n)
  const second = await own(of, other)
  expect(second.next).toBe(5n)
  await append(of, second.dead, 9n)
  const third = await own(of)
  expect(third.next).toBe(10n)
  await append(of, third.derived, 12n)
  expect(await nextOf(of)).toBe(13n)
})

test('a noted position counts where it is further than both logs, and not where it lies before their ends', async () => {
  const of = await make()
  const { derived, dead, epoch } = await own(of)
  await append(of, derived, 7n)
  await append(of, dead, 8n)
  const end = await endOf(of.outputTopic, of)
  await note(of, 20n, { end, epoch })
  expect(await nextOf(of)).toBe(20n)
  // A former owner commits this position late.
  await note(of, 8n, { end: end - 1n, epoch })
  expect(await notedNexts(one, [of])).toEqual(new Map([[of, 8n]]))
  expect(await nextOf(of)).toBe(9n)
})

inSoak(() => {
  test('positions are noted and read of many partitions at once, each in its group', async () => {
    const [of, elsewhere, never] = [await make(), await make(), await make()]
    const neighbour = { ...of, partition: 0 }
    await one.note([
      { of, next: 3n, end: 0n, epoch: 1 },
      { of: neighbour, next: 0n, end: 0n, epoch: 32_767 },
      { of: elsewhere, next: 2n ** 40n, end: 2n ** 40n, epoch: 3 },
    ])
    expect(await notedNexts(other, [of, elsewhere, neighbour, never])).toEqual(
      new Map([
        [of, 3n],
        [neighbour, 0n],
        [elsewhere, 2n ** 40n],
      ]),
    )
  })
})

test.each([
  ['of another stream of that name', (streamId: string) => `2 ${streamId}x 0 1 0`],
  ['by a tool that resets offsets', () => ''],
  ['in a form of the future', (streamId: string) => `3 ${streamId} 0 1 0`],
  ['with more than belongs there', (streamId: string) => `2 ${streamId} 0 1 0 0`],
  ['with an end that is no offset', (streamId: string) => `2 ${streamId} 0 1 -1`],
  ['after another rebuild', (streamId: string) => `2 ${streamId} 1 1 0`],
])('what is noted %s is no position', async (_, metadataOf) => {
  const of = await make()
  const { derived } = await own(of)
  await append(of, derived, 7n)
  const { inputTopic: topic, partition, groupId, streamId } = of
  const metadata = metadataOf(streamId)
  expect(await positions.commit(groupId, [{ topic, partition, offset: 99n, metadata }])).toEqual([])
  expect(await notedNexts(one, [of])).toEqual(new Map())
  expect(await nextOf(of)).toBe(8n)
})

test('a derived log that is shorter than it was when a position was noted outweighs that position, also when it has grown', async () => {
  const of = await make()
  const first = await own(of)
  await append(of, first.derived, 7n)
  await note(of, 99n, { end: (await endOf(of.outputTopic, of)) + 2n })
  const second = await own(of, other)
  expect(second.next).toBe(8n)
  expect(lines).toMatchObject([{ level: 'error', stream: of.outputTopic, next: '8' }])
  await append(of, second.derived, 8n, 9n, 10n)
  expect(await nextOf(of)).toBe(11n)
  expect(await notedNexts(one, [of])).toEqual(new Map([[of, 8n]]))
})

test('after a rebuild it begins at its start again, and what was noted before counts no more, also late', async () => {
  const of = await make()
  const first = await own(of)
  await append(of, first.derived, 7n, 50n)
  await note(of, 60n, { end: await endOf(of.outputTopic, of) })
  const topics = [of.outputTopic, of.deadLetterTopic]
  const [derived = 0n, dead = 0n] = await Promise.all(topics.map((topic) => endOf(topic, of)))
  for (const topic of topics) await removeAll(topic, of)
  const rebuilt = { ...of, rebuild: 1, logStarts: { derived, dead } }
  expect(await nextOf(rebuilt)).toBe(of.startOffset)
  await note(of, 60n)
  expect(await nextOf(rebuilt)).toBe(of.startOffset)
  await append(rebuilt, (await own(rebuilt)).derived, 8n)
  expect(await nextOf(rebuilt)).toBe(9n)
  await note(rebuilt, 20n)
  expect(await nextOf(rebuilt)).toBe(20n)
})

test('what an aborted transaction has left counts in neither log', async () => {
  const of = await make()
  const { derived } = await own(of)
  await append(of, derived, 7n)
  for (const to of ['outputTopic', 'deadLetterTopic'] as const) {
    const meanwhile = () => Promise.reject(new Error('aborted'))
    await expect(transact(of, { to, offset: 50n, meanwhile })).rejects.toThrow('aborted')
  }
  expect(await nextOf(of)).toBe(8n)
})

test('what a retry wrote counts in neither log, and a dead letter with such a header does', async () => {
  const of = await make()
  const { derived, dead } = await own(of)
  await append(of, derived, 7n)
  const copied = { 'svc-retried': 'passed', 'svc-error': 'corrupt' }
  await dead.append([record(of, 8n, copied)])
  for (const to of ['outputTopic', 'deadLetterTopic'] as const)
    await transact(of, { to, offset: 50n, headers: { 'svc-retried': 'passed' } })
  expect(await nextOf(of)).toBe(9n)
})

inSoak(() => {
  test('sources in another topic or partition are none', async () => {
    const of = await make()
    const { derived } = await own(of)
    await append(of, derived, 7n)
    await append({ ...of, inputTopic: `${of.inputTopic}x` }, derived, 50n)
    await append({ ...of, partition: 0 }, derived, 51n)
    expect(await nextOf(of)).toBe(8n)
  })
})

test("another's open transaction holds up nothing, and hides nothing that lies above it", async () => {
  const of = await make()
  const { derived } = await own(of)
  await append(of, derived, 7n)
  await transact(of, {
    to: 'outputTopic',
    offset: 50n,
    transactionalId: uniqueName('stranger'),
    async meanwhile() {
      await append(of, derived, 8n)
      const second = await own(of, other)
      expect(second.next).toBe(9n)
      await append(of, second.derived, 9n)
      expect(await nextOf(of)).toBe(10n)
    },
  })
})

test('where retention has removed all of the logs the noted position says how far it is', async () => {
  const of = await make()
  const { derived, epoch } = await own(of)
  await append(of, derived, 7n, 8n)
  await note(of, 9n, { end: await endOf(of.outputTopic, of), epoch })
  for (const topic of [of.outputTopic, of.deadLetterTopic]) await removeAll(topic, of)
  expect(await nextOf(of)).toBe(9n)
})

test.each(['outputTopic', 'deadLetterTopic'] as const)(
  'where retention has removed records of the %s, and nothing else is known, the position is lost, and no start offset counts',
  async (name) => {
    const of = await make()
    const { derived, dead } = await own(of)
    await append(of, name === 'outputTopic' ? derived : dead, 7n)
    await removeAll(of[name], of)
    const failed = await nextOf(of).catch((error: unknown) => error)
    expect(failed).toEqual(positionLost)
    expect(String(failed)).toContain(`${of.outputTopic}, partition 1,`)
    const { streamId } = await make()
    await note({ ...of, streamId }, 9n)
    await expect(nextOf(of)).rejects.toEqual(positionLost)
  },
)

inSoak(() => {
  test('a foreign consumer in the group is told of once, and stops nothing', async () => {
    const [of, others] = [await make(), await make()]
    const consumer = plainKafka().consumer({ groupId: of.groupId })
    const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve))
    await consumer.connect()
    try {
      await consumer.subscribe({ topic: of.inputTopic })
      await consumer.run({ eachMessage: () => Promise.resolve() })
      await joined
      for (const next of [8n, 9n])
        await one.note([of, others].map((each) => ({ of: each, next, end: 0n, epoch: 1 })))
      expect(lines).toMatchObject([{ level: 'warn', group: of.groupId }])
      expect(await notedNexts(one, [of, others])).toEqual(new Map([[others, 9n]]))
      expect(await nextOf(of)).toBe(of.startOffset)
    } finally {
      await consumer.disconnect()
    }
  })

  test('without a broker notes are lost, which is told once, and reading them fails', async () => {
    const of = await make()
    const lonely = openDerivedPartitions(['127.0.0.1:1'])
    const replica = open({ kafka: lonely.kafka })
    const noting = replica.note(
      [of, await make()].map((each) => ({ of: each, next: 8n, end: 0n, epoch: 1 })),
    )
    await expect(replica.noted([of])).rejects.toMatchObject({ code: 'kafka.unavailable' })
    await noting
    expect(lines).toHaveLength(1)
    await replica.close()
    await lonely.close()
  })
})
