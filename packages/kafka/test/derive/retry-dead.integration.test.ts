// Dead records derived anew: each exactly once, whoever else is at it at the same time (docs/adr/0024).
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { AppError, pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { createDeadLetterTopics } from '../../src/derive/dead-letter-topics.ts'
import type { Derived } from '../../src/derive/derivation.ts'
import type { RetryOptions, RetryOutcome } from '../../src/derive/retry-partition.ts'
import type { SourceRecord } from '../../src/protocol/source-record.ts'
import { createTransactor } from '../../src/fence/transactor.ts'
import { makeDerivation } from './derivation.ts'
import type { Derivation } from './derivation.ts'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  readRecords,
  removeRecordsBefore,
  writeTo,
} from '../support.ts'

const within = { deadlineMs: 40_000, everyMs: 50 }
const forever = () => true
let admin: Admin
const cleanUps: (() => Promise<void>)[] = []

beforeAll(() => {
  admin = createAdmin(connect())
})

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
}, 30_000)

afterAll(async () => {
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
})

/** `good…` passes, `no…` goes nowhere, `bad…` is dead, `odd…` is dead until it is mended. */
const transformThat =
  (isMended: boolean) =>
  (records: readonly SourceRecord[]): Derived[] =>
    records.map(({ key, value }) => {
      const text = value?.toString() ?? ''
      if (text.startsWith('bad') || (text.startsWith('odd') && !isMended))
        return { dead: 'corrupt' }
      return text.startsWith('odd-no') ? undefined : { key, value }
    })

async function startLive(derivation: Derivation) {
  const { deriver } = derivation.run(connect(), { transform: transformThat(false) })
  cleanUps.push(() => deriver.stop())
  await deriver.start()
  return deriver
}

/** All is read, and what is dead can be read: the group's offsets may be committed a moment before the dead letter topic is. */
const untilDerived = async ({
  groupId,
  inputTopic,
  deadLetterTopic,
}: Derivation): Promise<void> => {
  await pollUntil(async () => {
    const ends = await admin.offsets.ends(inputTopic, { isolation: 'read_committed' })
    const committed = await admin.groups.committedOffsets(groupId, inputTopic)
    const isRead = ends.every((end, partition) => end === 0n || committed[partition] === end)
    return isRead && (await isSettled(deadLetterTopic))
  }, within)
}

async function isSettled(topic: string): Promise<boolean> {
  const stable = await admin.offsets.ends(topic, { isolation: 'read_committed' })
  const written = await admin.offsets.ends(topic, { isolation: 'read_uncommitted' })
  return written.every((end, partition) => stable[partition] === end)
}

type Counts = Record<RetryOutcome, number>

async function retry(derivation: Derivation, more: Partial<RetryOptions> = {}): Promise<Counts> {
  const dead = createDeadLetterTopics(connect())
  const counts = { passed: 0, filtered: 0, failedAgain: 0 }
  const options: RetryOptions = {
    ...derivation,
    mayTake: () => Promise.resolve(true),
    transform: transformThat(true),
    mayGoOn: forever,
    ...more,
  }
  try {
    await dead.retry(options, (outcome) => void (counts[outcome] += 1))
  } finally {
    await dead.close()
  }
  return counts
}

async function list({ inputTopic, deadLetterTopic }: Derivation, max = 10) {
  const dead = createDeadLetterTopics(connect())
  const found = await dead.list({ inputTopic, deadLetterTopic, max, mayGoOn: forever })
  await dead.close()
  return {
    total: found.total,
    sources: found.entries.map(({ partition, source }) => `${partition}/${source}`),
  }
}

const counted = (records: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const record of records) counts[record] = (counts[record] ?? 0) + 1
  return counts
}
const onceEach = (records: readonly string[]): string[] => {
  for (const [record, times] of Object.entries(counted(records)))
    if (times !== 1) throw new Error(`${record} is there ${times} times`)
  return [...records].sort()
}

test('what is mended is derived late, under its own source; what is not stays pending', async () => {
  // Given
  const derivation = await makeDerivation(admin, 2)
  await derivation.write(0, 'good', 'odd-1', 'bad', 'good', 'odd-no')
  await derivation.write(1, 'odd-2')
  const deriver = await startLive(derivation)
  await untilDerived(derivation)
  expect(await list(derivation)).toEqual({ total: 4, sources: ['0/1', '0/2', '0/4', '1/0'] })
  expect((await list(derivation, 1)).sources).toEqual(['0/4', '1/0'])

  // When
  const first = await retry(derivation)
  const again = await retry(derivation)

  // Then
  expect(first).toEqual({ passed: 2, filtered: 1, failedAgain: 1 })
  expect(again).toEqual({ passed: 0, filtered: 0, failedAgain: 1 })
  expect(await list(derivation)).toEqual({ total: 1, sources: ['0/2'] })
  expect(await derivation.sources()).toEqual(['0/0', '0/3', '0/1', '1/0'])

  // and a deriver that Kafka has forgotten doesn't take the late one for how far it was
  await deriver.stop()
  await admin.groups.delete(derivation.groupId)
  await startLive(derivation)
  await derivation.write(0, 'good')
  expect(await derivation.sourcesUntil(5)).toEqual(['0/0', '0/3', '0/1', '0/5', '1/0'])
}, 60_000)

test('retried three times at once while records flow, each is derived once, and none lost or doubled', async () => {
  // Given
  const derivation = await makeDerivation(admin, 2)
  const odd = Array.from({ length: 700 }, (_, index) => `odd-${index}`)
  await derivation.write(0, ...odd)
  await derivation.write(1, ...odd)
  await startLive(derivation)
  await untilDerived(derivation)
  const writing = derivation.keepWriting(5, 10)
  cleanUps.push(() => writing.stop().then(() => undefined))

  // When
  const retries = await Promise.allSettled([1, 2, 3].map(() => retry(derivation)))
  const written = await writing.stop()
  const last = await retry(derivation)

  // Then
  const done = [...retries, { status: 'fulfilled' as const, value: last }]
  const passed = done.map((one) => (one.status === 'fulfilled' ? one.value.passed : 0))
  expect(retries.map(({ status }) => status)).toContain('fulfilled')
  const sources = onceEach(await derivation.sourcesUntil(2 * (700 + written)))
  expect(sources).toHaveLength(2 * (700 + written))
  expect(passed.reduce((sum, one) => sum + one)).toBe(1_400)
  expect((await list(derivation)).total).toBe(0)
}, 90_000)

test('a retry that ends before its commit has done nothing, and the next one does it', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  await derivation.write(0, 'odd-1', 'good')
  await startLive(derivation)
  await untilDerived(derivation)

  // When
  const cut = retry(derivation, { mayCommit: () => false })

  // Then
  await expect(cut).rejects.toMatchObject({ code: 'kafka.held_back' })
  expect(await list(derivation)).toMatchObject({ total: 1 })
  expect(await derivation.sources()).toEqual(['0/1'])
  expect(await retry(derivation)).toMatchObject({ passed: 1 })
  expect(await derivation.sources()).toEqual(['0/1', '0/0'])
}, 60_000)

test('fenced in the middle, it reads what was done meanwhile, and does the rest', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const odd = Array.from({ length: 1_200 }, (_, index) => `odd-${index}`)
  await derivation.write(0, ...odd)
  const deriver = await startLive(derivation)
  await untilDerived(derivation)
  await deriver.stop()
  let rounds = 0

  // When somebody else takes the partition before the second transaction
  const counts = await retry(derivation, {
    async transform(records) {
      rounds += 1
      if (rounds === 2) await admin.groups.fence(derivation.transactionalIdOf(0))
      return transformThat(true)(records)
    },
  })

  // Then
  expect(counts).toEqual({ passed: 1_200, filtered: 0, failedAgain: 0 })
  expect(onceEach(await derivation.sources())).toHaveLength(1_200)
  expect((await list(derivation)).total).toBe(0)
}, 60_000)

test('a partition that may not be taken is left as it is', async () => {
  const derivation = await makeDerivation(admin, 1)
  await derivation.write(0, 'odd')
  await startLive(derivation)
  await untilDerived(derivation)
  const refused = retry(derivation, { mayTake: () => Promise.resolve(false) })
  await expect(refused).rejects.toMatchObject({ code: 'kafka.may_not_take' })
  expect((await list(derivation)).total).toBe(1)
}, 60_000)

test('one that was dead-lettered without its value is read from its source, while that is retained', async () => {
  // Given
  const bound = { 'max.message.bytes': '4194304' }
  const derivation = await makeDerivation(admin, 1, { input: bound, output: bound, dead: bound })
  const large = `odd${'x'.repeat(4_194_150)}`
  await writeTo(derivation.inputTopic, { partition: 0, key: 'k', value: large })
  await writeTo(derivation.inputTopic, { partition: 0, key: 'k', value: large })
  await startLive(derivation)
  await untilDerived(derivation)
  const deadLettered = await readRecords(derivation.deadLetterTopic)
  expect(deadLettered.map(({ value }) => value)).toEqual([null, null])
  await removeRecordsBefore(derivation.inputTopic, 0, 1n)

  // When
  const shorten = (records: readonly SourceRecord[]) =>
    records.map(({ key, value }) => ({ key, value: `${value?.length}` }))
  const counts = await retry(derivation, { transform: shorten })

  // Then
  expect(counts).toEqual({ passed: 1, filtered: 0, failedAgain: 1 })
  const [derived] = await readRecords(derivation.outputTopic)
  expect(derived?.value?.toString()).toBe(`${large.length}`)
  expect(await derivation.sources()).toEqual(['0/1'])
}, 60_000)

test('what Kafka refuses once more stays pending; its neighbours pass', async () => {
  const derivation = await makeDerivation(admin, 1, { output: { 'max.message.bytes': '20000' } })
  await derivation.write(0, 'odd-1', `odd-${'x'.repeat(30_000)}`, 'odd-2')
  await startLive(derivation)
  await untilDerived(derivation)
  expect(await retry(derivation)).toEqual({ passed: 2, filtered: 0, failedAgain: 1 })
  expect(await list(derivation)).toEqual({ total: 1, sources: ['0/1'] })
}, 60_000)

test('a header of a stranger’s record does not make a marker of its dead record', async () => {
  const derivation = await makeDerivation(admin, 1)
  const headers = { 'svc-retried': 'passed', 'svc-source': 'x/0/0', 'svc-error': 'none' }
  await writeTo(derivation.inputTopic, { partition: 0, key: 'k', value: 'odd', headers })
  await startLive(derivation)
  await untilDerived(derivation)
  expect(await list(derivation)).toEqual({ total: 1, sources: ['0/0'] })
  expect(await retry(derivation)).toMatchObject({ passed: 1 })
  expect((await list(derivation)).total).toBe(0)
}, 60_000)

test('records that are no dead records of this partition are not looked at', async () => {
  const derivation = await makeDerivation(admin, 1)
  const headers = { 'svc-source': 'other/0/1', 'svc-error': 'corrupt' }
  await writeTo(derivation.deadLetterTopic, { partition: 0, key: 'k', value: 'v' })
  await writeTo(derivation.deadLetterTopic, { partition: 0, key: 'k', value: 'v', headers })
  expect(await list(derivation)).toEqual({ total: 0, sources: [] })
  expect(await retry(derivation)).toEqual({ passed: 0, filtered: 0, failedAgain: 0 })
}, 60_000)

test('reading that takes too long is ended', async () => {
  const derivation = await makeDerivation(admin, 1)
  await writeTo(derivation.deadLetterTopic, { partition: 0, key: 'k', value: 'v' })
  const dead = createDeadLetterTopics(connect())
  const late = dead.list({ ...derivation, max: 1, mayGoOn: () => false })
  await expect(late).rejects.toBeInstanceOf(AppError)
  await dead.close()
}, 60_000)

test('a transaction that a crash left open is undone first, and its records are retried', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const { outputTopic, deadLetterTopic, inputTopic } = derivation
  await derivation.write(0, 'odd-1')
  const deriver = await startLive(derivation)
  await untilDerived(derivation)
  await deriver.stop()
  const crashed = createTransactor(connect(), {
    transactionalId: derivation.transactionalIdOf(0),
    timeoutMs: 60_000,
  })
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
  expect(await derivation.sources()).toEqual(['0/0'])
  expect((await list(derivation)).total).toBe(0)
}, 60_000)
