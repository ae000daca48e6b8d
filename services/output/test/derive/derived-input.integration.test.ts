// Problematic inputs: deleted records, other writers, and records that Kafka refuses, that are too large or that can't
// be derived. No other record is affected.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createAdmin } from '@weir/kafka'
import type { Admin } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  plainKafka,
  removeRecordsBefore,
  writeTo,
} from '../../../../packages/kafka/test/support.ts'
import { DeriveError } from '../../src/derive/errors.ts'
import { derivationOf, makeDerivation, upTo } from '../support/derivation.ts'
import type { Derivation, Owner, OwnerOptions } from '../support/derivation.ts'

const within = { deadlineMs: 60_000, everyMs: 20 }
let admin: Admin
const cleanUps: (() => Promise<void>)[] = []

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

function start(derivation: Derivation, options: OwnerOptions = {}): Owner {
  const owner = derivation.start(options)
  cleanUps.push(owner.stop)
  return owner
}

test('what retention took before it was derived is counted, and the rest is derived', async () => {
  const derivation = await makeDerivation(admin)
  await derivation.write('a', 'b')
  const first = start(derivation)
  await derivation.sourcesUntil(2)
  await first.stop()
  await derivation.write('lost-1', 'lost-2', 'lost-3', 'f')
  await removeRecordsBefore(derivation.of.inputTopic, 0, 5n)

  const { lost } = start(derivation)

  expect(await derivation.sourcesUntil(3)).toEqual([0, 1, 5])
  expect(lost).toEqual([3n])
})

test('where the input has lost its end, what is written in its place is derived, and the loss is told', async () => {
  const derivation = await makeDerivation(admin)
  await derivation.write('a', 'b', 'c')
  const cut = derivationOf({ ...derivation.of, startOffset: 10n })
  const { failures } = start(cut)
  await pollUntil(() => failures.length > 0, within)
  await derivation.write('d', 'e')

  expect(await derivation.sourcesUntil(2)).toEqual([3, 4])
  expect(failures).toEqual(['kafka.input_shrunk'])
})

test('transactions of others in the input are neither derived when aborted nor in the way', async () => {
  // Given
  const derivation = await makeDerivation(admin)
  const { inputTopic: topic } = derivation.of
  start(derivation)
  const producer = plainKafka().producer({ transactionalId: `${topic}-in`, maxInFlightRequests: 1 })
  await producer.connect()
  cleanUps.push(() => producer.disconnect())
  const write = async (value: string, end: 'commit' | 'abort') => {
    const transaction = await producer.transaction()
    await transaction.send({ topic, messages: [{ value }] })
    await transaction[end]()
  }

  // When
  await write('undone', 'abort')
  await write('done', 'commit')
  await derivation.sourcesUntil(1)
  await write('undone', 'abort')
  await write('undone', 'abort')
  await write('done', 'commit')

  // Then offsets 0 to 9 contain five records, each followed by the marker of its transaction
  expect(await derivation.sourcesUntil(2)).toEqual([2, 8])
})

test('one bad record among a thousand is dead-lettered as it is, and all others keep their places', async () => {
  // Given a header with the name of a property that every object has
  const derivation = await makeDerivation(admin)
  const { inputTopic, deadLetterTopic } = derivation.of
  const headers = { 'svc-schema-id': 'clicks', more: Buffer.from([0, 255]), toString: 'x' }
  const eventMs = 1_700_000_000_000
  await derivation.write(...upTo(500).map((number) => `v${number}`))
  await writeTo(inputTopic, {
    partition: 0,
    key: 'k',
    value: 'bad',
    headers,
    timestamp: `${eventMs}`,
  })
  await derivation.write(...upTo(500).map((number) => `w${number}`))

  // When
  const { counts, dead, failures } = start(derivation)

  // Then
  expect(await derivation.sourcesUntil(1_000)).toEqual([...upTo(500), ...upTo(500, 501)])
  const [letter, ...others] = await derivation.deadLetters()
  expect(others).toEqual([])
  expect(letter).toMatchObject({ key: Buffer.from('k'), value: Buffer.from('bad') })
  expect(letter?.headers).toEqual({
    'svc-schema-id': Buffer.from('clicks'),
    more: Buffer.from([0, 255]),
    toString: Buffer.from('x'),
    'svc-source': Buffer.from(`${inputTopic}/0/500`),
    'svc-error': Buffer.from('corrupt'),
    'svc-time': Buffer.from(`${eventMs}`),
  })
  await pollUntil(() => counts.passed === 1_000, within)
  expect(dead).toEqual([{ offset: 500n, code: 'corrupt' }])
  expect(failures).toEqual([])
  expect(deadLetterTopic).not.toBe(inputTopic)
})

test('a dead record that would not fit is dead-lettered without its value, and where it lies is known', async () => {
  // Given records of exactly the maximum size: one with a large value, and one with a large key
  const bound = { 'max.message.bytes': '4194304' }
  const derivation = await makeDerivation(admin, { input: bound, output: bound, dead: bound })
  const { inputTopic } = derivation.of
  const long = 'x'.repeat(4_194_150)
  await writeTo(inputTopic, { partition: 0, key: 'k', value: `bad${long}` })
  await writeTo(inputTopic, { partition: 0, key: `k${long}`, value: 'bad' })
  await derivation.write('good')

  // When
  start(derivation)

  // Then
  expect(await derivation.sourcesUntil(1)).toEqual([2])
  const letters = await derivation.deadLetters()
  expect(letters.map(({ key, value }) => [key?.toString(), value])).toEqual([
    ['k', null],
    [undefined, null],
  ])
  expect(letters.map(({ headers }) => headers['svc-source']?.toString())).toEqual([
    `${inputTopic}/0/0`,
    `${inputTopic}/0/1`,
  ])
})

test('derived records that Kafka refuses for their size are dead-lettered; their neighbours are derived', async () => {
  // Given an output topic with a smaller maximum record size than Weir's topics
  const derivation = await makeDerivation(admin, { output: { 'max.message.bytes': '20000' } })
  const large = 'x'.repeat(30_000)
  await derivation.write('a', `1${large}`, 'b', 'no', `2${large}`, 'c')

  // When
  const { stream, dead } = start(derivation)

  // Then
  expect(await derivation.sourcesUntil(3)).toEqual([0, 2, 5])
  await pollUntil(() => stream.stored === 6n, within)
  expect(dead).toEqual([
    { offset: 1n, code: 'too_large' },
    { offset: 4n, code: 'too_large' },
  ])
  const letters = await derivation.deadLetters()
  expect(letters.map(({ value }) => value?.length)).toEqual([30_001, 30_001])
})

test('a record that cannot be derived yet holds up its partition, is told of, and is tried again', async () => {
  const derivation = await makeDerivation(admin)
  await derivation.write('a', 'stuck', 'b')
  let isStuck = true
  const { failures } = start(derivation, {
    derive(value) {
      if (isStuck && value === 'stuck') throw new DeriveError('derive.not_known_yet', 'a key')
    },
  })
  await pollUntil(() => failures.length >= 2, within)
  expect(await derivation.sources()).toEqual([0])
  expect(new Set(failures)).toEqual(new Set(['not_known_yet']))

  isStuck = false
  expect(await derivation.sourcesUntil(3)).toEqual([0, 1, 2])
})

test('what was dead-lettered last is not dead-lettered again by the next owner', async () => {
  const derivation = await makeDerivation(admin)
  await derivation.write('a', 'bad-1', 'bad-2')
  const first = start(derivation)
  await pollUntil(() => first.stream.stored === 3n, within)
  await first.stop()
  await derivation.write('after')

  start(derivation)

  expect(await derivation.sourcesUntil(2)).toEqual([0, 3])
  expect(await derivation.deadLetters()).toHaveLength(2)
})
