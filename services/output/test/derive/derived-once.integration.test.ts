// With a real broker, each record is derived exactly once and in order. Owners change, replicas wrongly consider
// themselves owners, and connections are lost.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createAdmin } from '@weir/kafka'
import type { Admin } from '@weir/kafka'
import { delay, pollUntil } from '@weir/kit'
import { measured } from '@weir/testkit'
import { connectOverNetwork } from '../../../../packages/kafka/test/network.ts'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  readRecords,
} from '../../../../packages/kafka/test/support.ts'
import { keepWriting as writeOn, makeDerivation, upTo } from '../support/derivation.ts'
import type { Derivation, Owner, OwnerOptions } from '../support/derivation.ts'

const PRODUCE = 0
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

function keepWriting(derivation: Derivation, perRound: number, pauseMs: number) {
  const writing = writeOn(derivation, perRound, pauseMs)
  cleanUps.push(() => writing.stop().then(() => undefined))
  return writing
}

test('each record is derived in order with its source in a header, and those that go nowhere count as derived, too', async () => {
  const derivation = await makeDerivation(admin)
  await derivation.write('a', 'no-b', 'c')
  const { stream, counts, failures } = start(derivation)
  await derivation.sourcesUntil(2)
  await derivation.write('d', 'no-e', 'no-f')

  expect(await derivation.sourcesUntil(3)).toEqual([0, 2, 3])
  await pollUntil(() => stream.stored === 6n, within)
  expect(counts).toMatchObject({ passed: 3, filtered: 3 })
  const [first] = await readRecords(derivation.of.outputTopic)
  expect(first?.headers['svc-source']?.toString()).toBe(`${derivation.of.inputTopic}/0/0`)
  expect(failures).toEqual([])
})

test('fenced in the middle of its work, again and again, it derives each record once', async () => {
  const derivation = await makeDerivation(admin)
  start(derivation)

  for (let round = 0; round < 4; round += 1) {
    const writing = derivation.write(...upTo(200).map((number) => `v${round}-${number}`))
    await admin.groups.fence(derivation.of.transactionalId)
    await writing
    await derivation.sourcesUntil(200 * round + 1)
  }

  expect(await derivation.sourcesUntil(800)).toEqual(upTo(800))
})

test('replicas that hand a partition to each other while records flow, or both take it for theirs, derive each record once', async () => {
  // Given
  const derivation = await makeDerivation(admin)
  const rights = [true, false]
  const owners = rights.map((_, index) =>
    start(derivation, { mayDerive: () => rights[index] === true }),
  )
  const writing = keepWriting(derivation, 10, 5)

  // When
  for (const [first, second] of [
    [false, true],
    [true, true],
    [true, false],
    [false, false],
    [false, true],
  ] as const) {
    const before = (await derivation.sources()).length
    Object.assign(rights, [first, second])
    for (const { wake } of owners) wake()
    if (first || second) await derivation.sourcesUntil(before + 50)
    else await delay(200)
  }
  const written = await writing.stop()

  // Then
  expect(await derivation.sourcesUntil(written)).toEqual(upTo(written))
})

test('connections that break again and again cost no record and double none', async () => {
  const derivation = await makeDerivation(admin)
  const network = await connectOverNetwork()
  start(derivation, { kafka: network.kafka })

  let written = 0
  for (let round = 0; round < 6; round += 1) {
    await derivation.write(...upTo(50, written).map((number) => `v${number}`))
    written += 50
    await delay(7 * round)
    network.cut()
    network.mend()
  }

  expect(await derivation.sourcesUntil(written)).toEqual(upTo(written))
})

test('what a former owner had on its way when another took over is stored by neither twice', async () => {
  // Given an owner whose appends are delayed
  const derivation = await makeDerivation(admin)
  const network = await connectOverNetwork()
  let isFirst = true
  const first = start(derivation, { kafka: network.kafka, mayDerive: () => isFirst })
  await derivation.write('a', 'b')
  await derivation.sourcesUntil(2)
  const held = network.hold(PRODUCE)
  await derivation.write('c', 'd')
  await held.began

  // When another replica acquires the partition, and the delayed appends arrive later
  isFirst = false
  const second = start(derivation)
  await derivation.sourcesUntil(4)
  held.release()
  await pollUntil(() => first.failures.length > 0, within)
  await derivation.write('e')

  // Then
  expect(await derivation.sourcesUntil(5)).toEqual(upTo(5))
  expect(first.failures).toContain('kafka.fenced')
  expect(second.failures).toEqual([])
})

test('an owner that is cut off while another derives doubles nothing when it comes back', async () => {
  const derivation = await makeDerivation(admin)
  const network = await connectOverNetwork()
  start(derivation, { kafka: network.kafka })
  await derivation.write('a')
  await derivation.sourcesUntil(1)

  network.cut()
  const other = start(derivation)
  await derivation.write('b', 'c')
  await derivation.sourcesUntil(3)
  await other.stop()
  network.mend()
  await derivation.write('d')

  expect(await derivation.sourcesUntil(4)).toEqual(upTo(4))
})

test('it stops within seconds, also while nothing answers', async () => {
  const derivation = await makeDerivation(admin)
  const network = await connectOverNetwork()
  const owner = start(derivation, { kafka: network.kafka })
  await derivation.write('a')
  await derivation.sourcesUntil(1)
  network.cut()
  await derivation.write('b')

  const startedMs = performance.now()
  await owner.stop()
  expect(performance.now() - startedMs).toBeLessThan(measured(10_000))
})
