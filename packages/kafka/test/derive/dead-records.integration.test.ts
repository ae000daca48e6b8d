// Records that can't be derived because of themselves: they are dead-lettered in the dead letter topic, in the transaction of
// their neighbours, and cost no other record anything.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import type { DeadAt, Derived, DeriveOptions } from '../../src/derive/derivation.ts'
import type { SourceRecord } from '../../src/protocol/source-record.ts'
import { makeDerivation, upTo } from './derivation.ts'
import type { Derivation } from './derivation.ts'
import { closeWriters, connect, deleteTopicsMade, readRecords, writeTo } from '../support.ts'

const within = { deadlineMs: 40_000, everyMs: 50 }
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

/** Copies what is good; «bad» is dead, «no» goes nowhere. */
const transform = (records: readonly SourceRecord[]): Derived[] =>
  records.map(({ key, value }) => {
    const text = value?.subarray(0, 10).toString() ?? ''
    if (text.startsWith('bad')) return { dead: 'corrupt' }
    return text.startsWith('no') ? undefined : { key, value }
  })

async function start(derivation: Derivation, options: Partial<DeriveOptions> = {}) {
  const seen: { outcomes: Derived[]; dead: DeadAt[] } = { outcomes: [], dead: [] }
  const { deriver, errors } = derivation.run(connect(), {
    transform,
    onCommitted: (derived) => seen.outcomes.push(...derived),
    onDead: (dead) => seen.dead.push(...dead),
    ...options,
  })
  cleanUps.push(() => deriver.stop())
  await deriver.start()
  return { deriver, errors, ...seen }
}

const untilCommitted = ({ groupId, inputTopic }: Derivation, offset: bigint): Promise<unknown> =>
  pollUntil(async () => {
    const [committed] = await admin.groups.committedOffsets(groupId, inputTopic)
    return committed === offset
  }, within)

test('one bad record among a thousand is dead-lettered as it is, and all others keep their places', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const good = (from: number) => Array.from({ length: 500 }, (_, index) => `v${from + index}`)
  const headers = { 'svc-schema-id': 'clicks', more: Buffer.from([0, 255]) }
  await derivation.write(0, ...good(0))
  const bad = { key: 'k', value: 'bad value', headers, timestamp: '1700000000000' }
  await writeTo(derivation.inputTopic, { ...bad, partition: 0 })
  await derivation.write(0, ...good(500))

  // When
  const { outcomes, dead, errors } = await start(derivation)

  // Then
  const sources = await derivation.sourcesUntil(1_000)
  expect(sources).toEqual([...upTo(0, 500), ...upTo(0, 500, 501)])
  const [deadLettered, ...others] = await readRecords(derivation.deadLetterTopic)
  expect(others).toEqual([])
  expect(deadLettered).toMatchObject({
    partition: 0,
    timestampMs: 1_700_000_000_000,
    key: Buffer.from('k'),
    value: Buffer.from('bad value'),
    headers: {
      'svc-schema-id': Buffer.from('clicks'),
      more: Buffer.from([0, 255]),
      'svc-source': Buffer.from(`${derivation.inputTopic}/0/500`),
      'svc-error': Buffer.from('corrupt'),
    },
  })
  expect(errors).toEqual([])
  await pollUntil(() => outcomes.length === 1_001, within)
  expect(dead).toEqual([{ offset: 500n, code: 'corrupt' }])
}, 60_000)

test('headers with names that every object has hold nothing up', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const headers = { toString: 'x', constructor: 'y', ['__proto__']: 'z', empty: '' }
  await writeTo(derivation.inputTopic, { key: 'k', value: 'bad', partition: 0, headers })
  await derivation.write(0, 'good')

  // When
  await start(derivation)

  // Then
  expect(await derivation.sourcesUntil(1)).toEqual(['0/1'])
  const [deadLettered] = await readRecords(derivation.deadLetterTopic)
  expect(deadLettered?.headers['svc-source']?.toString()).toBe(`${derivation.inputTopic}/0/0`)
}, 60_000)

test('a dead record that would not fit is dead-lettered without its value, and where it lies is known', async () => {
  // Given records that fill their topic's bound to the byte, by their values, and by a key
  const bound = { 'max.message.bytes': '4194304' }
  const derivation = await makeDerivation(admin, 1, { input: bound, output: bound, dead: bound })
  const { inputTopic, deadLetterTopic } = derivation
  const long = 'x'.repeat(4_194_150)
  await writeTo(inputTopic, { partition: 0, key: 'k', value: `bad${long}` })
  await writeTo(inputTopic, { partition: 0, key: `k${long}`, value: 'bad' })
  await derivation.write(0, 'good')

  // When
  await start(derivation)

  // Then
  expect(await derivation.sourcesUntil(1)).toEqual(['0/2'])
  const deadLettered = await readRecords(deadLetterTopic)
  expect(deadLettered.map(({ key, value }) => [key?.toString(), value])).toEqual([
    ['k', null],
    [undefined, null],
  ])
  expect(deadLettered.map(({ headers }) => headers['svc-source']?.toString())).toEqual([
    `${inputTopic}/0/0`,
    `${inputTopic}/0/1`,
  ])
}, 60_000)

test('derived records that Kafka refuses for their size are dead; their neighbours are derived', async () => {
  // Given an output that takes less than Weir makes them take
  const derivation = await makeDerivation(admin, 1, { output: { 'max.message.bytes': '20000' } })
  const large = 'x'.repeat(30_000)
  await derivation.write(0, 'a', `1${large}`, 'b', 'no', `2${large}`, 'c')

  // When
  const { dead, errors } = await start(derivation)

  // Then
  expect(await derivation.sourcesUntil(3)).toEqual(['0/0', '0/2', '0/5'])
  await untilCommitted(derivation, 6n)
  await pollUntil(() => dead.length > 0, within)
  expect(dead).toEqual([
    { offset: 1n, code: 'too_large' },
    { offset: 4n, code: 'too_large' },
  ])
  expect(new Set(errors)).toEqual(new Set(['kafka.too_large']))
  const deadLettered = await readRecords(derivation.deadLetterTopic)
  expect(deadLettered.map(({ value }) => value?.length)).toEqual([30_001, 30_001])
}, 60_000)

test('when Kafka has forgotten the group’s offsets, what was dead-lettered last isn’t dead-lettered again', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  await derivation.write(0, 'a', 'bad-1', 'bad-2')
  const { deriver } = await start(derivation)
  await untilCommitted(derivation, 3n)
  await deriver.stop()

  // When
  await admin.groups.delete(derivation.groupId)
  await derivation.write(0, 'after')
  await start(derivation)

  // Then
  expect(await derivation.sourcesUntil(2)).toEqual(['0/0', '0/3'])
  expect(await readRecords(derivation.deadLetterTopic)).toHaveLength(2)
}, 60_000)
