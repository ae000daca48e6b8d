// Dead letters are derived again exactly once, even while other clients write (docs/adr/0024).
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createAdmin, createTransactor } from '@weir/kafka'
import type { Admin, SourceRecord } from '@weir/kafka'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  readRecords,
  removeRecordsBefore,
  writeTo,
} from '../../../../packages/kafka/test/support.ts'
import { derive, list, mended, retry, withDeadLetters } from '../support/dead-letters.ts'
import { keepWriting, makeDerivation, makeTwo, upTo } from '../support/derivation.ts'
import type { Derivation, Owner } from '../support/derivation.ts'

let admin: Admin
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(() => {
  admin = createAdmin(connect())
})

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

afterAll(async () => {
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
})

async function deriveLive(derivation: Derivation, count: number): Promise<Owner> {
  const owner = await derive(derivation, count)
  cleanUps.push(owner.stop)
  return owner
}

const inOrder = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)

test('what is mended is derived late, under its own source; what is not stays pending', async () => {
  // Given
  const [first, second] = await makeTwo(admin)
  await first.write('good', 'odd-1', 'bad', 'good', 'odd-no')
  await second.write('odd-2')
  await deriveLive(first, 5)
  await deriveLive(second, 1)
  expect(await list(first)).toEqual({ total: 4, sources: ['0/1', '0/2', '0/4', '1/0'] })
  expect((await list(first, 1)).sources).toEqual(['0/4', '1/0'])

  // When
  const once = await retry(first)
  const again = await retry(first)

  // Then
  expect(once).toEqual({ passed: 2, filtered: 1, failedAgain: 1 })
  expect(again).toEqual({ passed: 0, filtered: 0, failedAgain: 1 })
  expect(await list(first)).toEqual({ total: 1, sources: ['0/2'] })
  expect([await first.sources(), await second.sources()]).toEqual([[0, 3, 1], [0]])

  // and the deriver continues
  await first.write('good')
  expect(await first.sourcesUntil(4)).toEqual([0, 3, 1, 5])
})

test('what is retried has the time of its event, though the dead letter topic has that of the broker', async () => {
  // Given
  const derivation = await makeDerivation(admin)
  const { inputTopic, deadLetterTopic } = derivation.of
  const eventMs = 1_700_000_000_000
  const headers = { 'svc-schema-id': 'clicks' }
  const sent = { key: 'k', value: 'odd-1', headers, timestamp: `${eventMs}` }
  await writeTo(inputTopic, { ...sent, partition: 0 })
  await deriveLive(derivation, 1)
  const [dead] = await derivation.deadLetters()
  expect(dead?.timestampMs).toBeGreaterThan(eventMs)

  // When
  const retried: SourceRecord[] = []
  const transform = (records: readonly SourceRecord[]) => {
    retried.push(...records)
    return mended(records)
  }
  const what = { inputTopic, deadLetterTopic, max: 10, mayGoOn: () => true }
  const listed = await withDeadLetters({}, (letters) => letters.list(what))
  await retry(derivation, { transform })

  // Then
  expect(listed?.entries).toMatchObject([{ source: 0n, timestampMs: eventMs }])
  expect(retried).toEqual([
    {
      partition: 0,
      offset: 0n,
      timestampMs: eventMs,
      key: Buffer.from('k'),
      value: Buffer.from('odd-1'),
      headers: { 'svc-schema-id': Buffer.from('clicks') },
    },
  ])
})

test('retried three times at once while records flow, each is derived once, and none lost or doubled', async () => {
  // Given
  const both = await makeTwo(admin)
  const [derivation] = both
  const writings: ReturnType<typeof keepWriting>[] = []
  for (const one of both) {
    await one.write(...upTo(700).map((number) => `odd-${number}`))
    await deriveLive(one, 700)
  }
  for (const one of both) {
    const writing = keepWriting(one, 5, 10)
    cleanUps.push(writing.stop)
    writings.push(writing)
  }

  // When
  const retries = await Promise.allSettled([1, 2, 3].map(() => retry(derivation)))
  const written = await Promise.all(writings.map(({ stop }) => stop()))
  const last = await retry(derivation)

  // Then
  const done = [...retries, { status: 'fulfilled' as const, value: last }]
  const passed = done.map((one) => (one.status === 'fulfilled' ? one.value.passed : 0))
  expect(retries.map(({ status }) => status)).toContain('fulfilled')
  for (const [index, one] of both.entries()) {
    const count = 700 + (written[index] ?? 0)
    expect(inOrder(await one.sourcesUntil(count))).toEqual(upTo(count))
  }
  expect(passed.reduce((sum, one) => sum + one)).toBe(1_400)
  expect((await list(derivation)).total).toBe(0)
})

test('a retry that ends before its commit has done nothing, and the next one does it', async () => {
  // Given
  const derivation = await makeDerivation(admin)
  await derivation.write('odd-1', 'good')
  await deriveLive(derivation, 2)

  // When
  const cut = retry(derivation, { mayCommit: () => false })

  // Then
  await expect(cut).rejects.toMatchObject({ code: 'unavailable' })
  expect(await list(derivation)).toMatchObject({ total: 1 })
  expect(await derivation.sources()).toEqual([1])
  expect(await retry(derivation)).toMatchObject({ passed: 1 })
  expect(await derivation.sources()).toEqual([1, 0])
})

test('fenced in the middle, it reads what was done meanwhile, and does the rest', async () => {
  // Given
  const derivation = await makeDerivation(admin)
  await derivation.write(...upTo(1_200).map((number) => `odd-${number}`))
  const owner = await deriveLive(derivation, 1_200)
  await owner.stop()
  let rounds = 0

  // When another producer acquires the partition before the second transaction
  const counts = await retry(derivation, {
    async transform(records) {
      rounds += 1
      if (rounds === 2) await admin.groups.fence(derivation.of.transactionalId)
      return mended(records)
    },
  })

  // Then
  expect(counts).toEqual({ passed: 1_200, filtered: 0, failedAgain: 0 })
  expect(inOrder(await derivation.sources())).toEqual(upTo(1_200))
  expect((await list(derivation)).total).toBe(0)
})

test('a partition that may not be taken is left as it is', async () => {
  const derivation = await makeDerivation(admin)
  await derivation.write('odd')
  await deriveLive(derivation, 1)
  const refused = retry(derivation, { mayTake: () => Promise.resolve(false) })
  await expect(refused).rejects.toMatchObject({ code: 'stream_disabled' })
  expect((await list(derivation)).total).toBe(1)
})

test('one that was dead-lettered without its value is read from its source, while that is retained', async () => {
  // Given
  const bound = { 'max.message.bytes': '4194304' }
  const derivation = await makeDerivation(admin, { input: bound, output: bound, dead: bound })
  const { inputTopic, outputTopic } = derivation.of
  const large = `odd${'x'.repeat(4_194_150)}`
  await writeTo(inputTopic, { partition: 0, key: 'k', value: large })
  await writeTo(inputTopic, { partition: 0, key: 'k', value: large })
  await deriveLive(derivation, 2)
  expect((await derivation.deadLetters()).map(({ value }) => value)).toEqual([null, null])
  await removeRecordsBefore(inputTopic, 0, 1n)

  // When
  const shorten = async (records: readonly SourceRecord[]) =>
    records.map(({ key, value }) => ({ key, value: `${value?.length}` }))
  const counts = await retry(derivation, { transform: shorten })

  // Then
  expect(counts).toEqual({ passed: 1, filtered: 0, failedAgain: 1 })
  const [derived] = await readRecords(outputTopic)
  expect(derived?.value?.toString()).toBe(`${large.length}`)
  expect(await derivation.sources()).toEqual([1])
})

test('what no topic of ours would take fails again', async () => {
  const derivation = await makeDerivation(admin, { output: { 'max.message.bytes': '8000000' } })
  await derivation.write('odd-1', 'odd-2')
  await deriveLive(derivation, 2)
  const grow = async (records: readonly SourceRecord[]) =>
    records.map(({ key, offset }) => ({ key, value: 'x'.repeat(offset === 0n ? 4_194_304 : 1) }))
  const counts = await retry(derivation, { transform: grow })
  expect(counts).toEqual({ passed: 1, filtered: 0, failedAgain: 1 })
  expect(await derivation.sources()).toEqual([1])
})

test('what Kafka refuses once more stays pending; its neighbours pass', async () => {
  const derivation = await makeDerivation(admin, { output: { 'max.message.bytes': '20000' } })
  await derivation.write('odd-1', `odd-${'x'.repeat(30_000)}`, 'odd-2')
  await deriveLive(derivation, 3)
  expect(await retry(derivation)).toEqual({ passed: 2, filtered: 0, failedAgain: 1 })
  expect(await list(derivation)).toEqual({ total: 1, sources: ['0/1'] })
})

test('a header of a stranger’s record does not make a marker of its dead letter', async () => {
  const derivation = await makeDerivation(admin)
  const headers = { 'svc-retried': 'passed', 'svc-source': 'x/0/0', 'svc-error': 'none' }
  await writeTo(derivation.of.inputTopic, { partition: 0, key: 'k', value: 'odd', headers })
  await deriveLive(derivation, 1)
  expect(await list(derivation)).toEqual({ total: 1, sources: ['0/0'] })
  expect(await retry(derivation)).toMatchObject({ passed: 1 })
  expect((await list(derivation)).total).toBe(0)
})

test('records that are no dead letters of this partition are not looked at', async () => {
  const derivation = await makeDerivation(admin)
  const { deadLetterTopic } = derivation.of
  const headers = { 'svc-source': 'other/0/1', 'svc-error': 'corrupt' }
  await writeTo(deadLetterTopic, { partition: 0, key: 'k', value: 'v' })
  await writeTo(deadLetterTopic, { partition: 0, key: 'k', value: 'v', headers })
  expect(await list(derivation)).toEqual({ total: 0, sources: [] })
  expect(await retry(derivation)).toEqual({ passed: 0, filtered: 0, failedAgain: 0 })
})

test('reading that takes too long is ended', async () => {
  const { of } = await makeDerivation(admin)
  await writeTo(of.deadLetterTopic, { partition: 0, key: 'k', value: 'v' })
  const what = { ...of, max: 1, mayGoOn: () => false }
  expect(await withDeadLetters({}, (dead) => dead.list(what))).toBeUndefined()
})

test('a transaction that a crash left open is undone first, and its records are retried', async () => {
  // Given
  const derivation = await makeDerivation(admin)
  const { outputTopic, deadLetterTopic, inputTopic, transactionalId } = derivation.of
  await derivation.write('odd-1')
  const owner = await deriveLive(derivation, 1)
  await owner.stop()
  const crashed = createTransactor(connect(), { transactionalId, timeoutMs: 60_000 })
  cleanUps.push(() => crashed.close())
  await crashed.fence()
  const headers = { 'svc-source': `${inputTopic}/0/0`, 'svc-retried': 'passed' }
  const written = Promise.withResolvers<void>()
  const never = crashed.transaction(async (transaction) => {
    const record = { partition: 0, key: null, value: null, headers }
    await transaction.send([{ ...record, topic: outputTopic }])
    await transaction.send([{ ...record, topic: deadLetterTopic }])
    written.resolve()
    await new Promise(() => undefined)
  })
  never.catch(() => undefined)
  await written.promise

  // When
  const counts = await retry(derivation)

  // Then
  expect(counts).toMatchObject({ passed: 1 })
  expect(await derivation.sources()).toEqual([0])
  expect((await list(derivation)).total).toBe(0)
})
