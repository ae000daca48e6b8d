import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import type { Kafka } from '../../src/connect/client.ts'
import { makeDerivation, upTo } from './derivation.ts'
import type { Derivation, Run } from './derivation.ts'
import { connectOverNetwork } from '../network.ts'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  hasMembers,
  kickEveryone,
  plainKafka,
  removeRecordsBefore,
} from '../support.ts'

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

async function start(derivation: Derivation, kafka: Kafka = connect()): Promise<Run> {
  const run = derivation.run(kafka)
  cleanUps.push(() => run.deriver.stop())
  await run.deriver.start()
  return run
}

test('what retention took before it was derived is counted, and the rest is derived', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  await derivation.write(0, 'a', 'b')
  const first = await start(derivation)
  await derivation.sourcesUntil(2)
  await first.deriver.stop()
  await derivation.write(0, 'lost-1', 'lost-2', 'lost-3', 'f')
  await removeRecordsBefore(derivation.inputTopic, 0, 5n)

  // When
  const { lost } = await start(derivation)

  // Then
  expect(await derivation.sourcesUntil(3)).toEqual(['0/0', '0/1', '0/5'])
  expect(lost).toEqual([3n])
}, 40_000)

test('cut off from its brokers and thrown out of its group, it comes back and derives each record once', async () => {
  // Given
  const derivation = await makeDerivation(admin, 2)
  const network = connectOverNetwork()
  await start(derivation, network.kafka)
  await derivation.write(0, 'a', 'b')
  await derivation.sourcesUntil(2)

  // When
  network.cut()
  await derivation.write(0, 'c')
  await derivation.write(1, 'd')
  await kickEveryone(derivation.groupId)
  network.mend()
  await derivation.sourcesUntil(4)
  await kickEveryone(derivation.groupId)
  await derivation.write(1, 'e')
  await pollUntil(() => hasMembers(derivation.groupId), within)
  await derivation.write(0, 'f')

  // Then
  expect(await derivation.sourcesUntil(6)).toEqual([...upTo(0, 4), ...upTo(1, 2)])
}, 60_000)

test('connections that break again and again in the middle of transactions cost no record and double none', async () => {
  // Given
  const derivation = await makeDerivation(admin, 2)
  const network = connectOverNetwork()
  await start(derivation, network.kafka)

  // When
  let written = 0
  for (let round = 0; round < 6; round += 1) {
    const values = Array.from({ length: 50 }, (_, index) => `v${written + index}`)
    await Promise.all([derivation.write(0, ...values), derivation.write(1, ...values)])
    written += 50
    await new Promise((resolve) => setTimeout(resolve, 7 * round))
    network.cut()
    network.mend()
  }

  // Then
  const sources = await derivation.sourcesUntil(2 * written)
  expect(sources).toEqual([...upTo(0, written), ...upTo(1, written)])
}, 90_000)

test('transactions of other producers in the input are neither derived when aborted nor in the way', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const { inputTopic: topic } = derivation
  await start(derivation)
  const producer = plainKafka().producer({
    transactionalId: `${derivation.groupId}-in`,
    maxInFlightRequests: 1,
  })
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

  // Then offsets 0 to 9 hold five records, each followed by the marker that ends it
  expect(await derivation.sourcesUntil(2)).toEqual(['0/2', '0/8'])
}, 40_000)

test('stopping takes seconds, also while nothing answers', async () => {
  const derivation = await makeDerivation(admin, 1)
  const network = connectOverNetwork()
  const { deriver } = await start(derivation, network.kafka)
  await derivation.write(0, 'a')
  await derivation.sourcesUntil(1)
  network.cut()

  await deriver.stop()

  expect(deriver.assigned()).toEqual([])
}, 15_000)
