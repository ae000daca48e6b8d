import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { AppError, pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import type { DeriveOptions } from '../../src/derive/derivation.ts'
import { createTransactor } from '../../src/fence/transactor.ts'
import { makeDerivation, upTo } from './derivation.ts'
import type { Derivation, Run } from './derivation.ts'
import { closeWriters, connect, deleteTopicsMade, readRecords } from '../support.ts'

const kafka = connect()
const within = { deadlineMs: 30_000, everyMs: 20 }
let admin: Admin
const cleanUps: (() => Promise<void>)[] = []

beforeAll(() => {
  admin = createAdmin(kafka)
})

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
}, 30_000)

afterAll(async () => {
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
})

async function start(derivation: Derivation, options: Partial<DeriveOptions> = {}): Promise<Run> {
  const run = derivation.run(connect(), options)
  cleanUps.push(() => run.deriver.stop())
  await run.deriver.start()
  return run
}

test('each record is derived into its own partition, in order, with its source in a header', async () => {
  // Given
  const derivation = await makeDerivation(admin, 2)
  await derivation.write(0, 'a', 'no-b', 'c')
  await derivation.write(1, 'd')

  // When
  const { deriver, errors } = await start(derivation)
  await derivation.sourcesUntil(3)
  await derivation.write(1, 'no-e', 'f')

  // Then
  expect(await derivation.sourcesUntil(4)).toEqual(['0/0', '0/2', '1/0', '1/2'])
  const [first] = await readRecords(derivation.outputTopic)
  expect(first?.headers['svc-source']?.toString()).toBe(`${derivation.inputTopic}/0/0`)
  expect(deriver.assigned()).toEqual([0, 1])
  expect(errors).toEqual([])
  await deriver.stop()
  const committed = await admin.groups.committedOffsets(derivation.groupId, derivation.inputTopic)
  expect(committed).toEqual([3n, 3n])
}, 30_000)

test('records that are all dropped count as derived too', async () => {
  const derivation = await makeDerivation(admin, 1)
  await derivation.write(0, 'no-a', 'no-b')

  const { deriver } = await start(derivation)
  await pollUntil(async () => {
    const [offset] = await admin.groups.committedOffsets(derivation.groupId, derivation.inputTopic)
    return offset === 2n
  }, within)

  expect(deriver.lag()).toBe(0)
}, 30_000)

test('stopped and started again and again while records flow, none is lost and none doubled', async () => {
  // Given
  const derivation = await makeDerivation(admin, 2)
  const writing = derivation.keepWriting(20, 5)
  cleanUps.push(() => writing.stop().then(() => undefined))

  // When
  for (let round = 0; round < 3; round += 1) {
    const { deriver } = await start(derivation)
    const before = (await derivation.sources()).length
    await derivation.sourcesUntil(before + 50)
    await deriver.stop()
  }
  const written = await writing.stop()
  await start(derivation)

  // Then
  const sources = await derivation.sourcesUntil(2 * written)
  expect(sources).toEqual([...upTo(0, written), ...upTo(1, written)])
}, 60_000)

test('fenced in the middle of its work, again and again, it derives each record once', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  await start(derivation)

  // When
  for (let round = 0; round < 5; round += 1) {
    const values = Array.from({ length: 200 }, (_, index) => `v${round}-${index}`)
    const writing = derivation.write(0, ...values)
    await admin.groups.fence(derivation.transactionalIdOf(0))
    await writing
    await derivation.sourcesUntil(200 * round + 1)
  }

  // Then
  expect(await derivation.sourcesUntil(1_000)).toEqual(upTo(0, 1_000))
}, 60_000)

test('two members share the partitions and hand them over while records flow, and nothing is lost or doubled', async () => {
  // Given
  const derivation = await makeDerivation(admin, 4)
  const writing = derivation.keepWriting(5, 10)
  cleanUps.push(() => writing.stop().then(() => undefined))

  // When
  const first = await start(derivation)
  await derivation.sourcesUntil(20)
  const second = await start(derivation)
  await pollUntil(() => second.deriver.assigned().length === 2, within)
  await pollUntil(() => first.deriver.assigned().length === 2, within)
  const shared = (await derivation.sources()).length
  await derivation.sourcesUntil(shared + 40)
  await first.deriver.stop()
  await pollUntil(() => second.deriver.assigned().length === 4, within)
  const written = await writing.stop()

  // Then
  const sources = await derivation.sourcesUntil(4 * written)
  expect(sources).toEqual([0, 1, 2, 3].flatMap((partition) => upTo(partition, written)))
}, 60_000)

test('a new derivation begins at the offsets it is given, not at a default', async () => {
  // Given
  const derivation = await makeDerivation(admin, 2)
  await derivation.write(0, 'a', 'b', 'c')
  await derivation.write(1, 'd', 'e')

  // When
  await start(derivation, { startOffset: (partition) => (partition === 0 ? 2n : 2n) })
  await derivation.sourcesUntil(1)
  await derivation.write(1, 'f')

  // Then
  expect(await derivation.sourcesUntil(2)).toEqual(['0/2', '1/2'])
}, 30_000)

test('when Kafka has forgotten the group’s offsets, it continues after the last derived record', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const values = Array.from({ length: 150 }, (_, index) => `v${index}`)
  await derivation.write(0, ...values)
  const { deriver } = await start(derivation)
  await derivation.sourcesUntil(150)
  await deriver.stop()

  // When
  await admin.groups.delete(derivation.groupId)
  await derivation.write(0, 'after')
  await start(derivation)

  // Then
  expect(await derivation.sourcesUntil(151)).toEqual(upTo(0, 151))
}, 30_000)

test('a former owner’s open transaction is undone before the partition goes on', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const { inputTopic, outputTopic, groupId } = derivation
  await derivation.write(0, 'a', 'b')
  const former = createTransactor(kafka, {
    transactionalId: derivation.transactionalIdOf(0),
    timeoutMs: 60_000,
  })
  cleanUps.push(() => former.close())
  await former.fence()
  const taken = Promise.withResolvers<void>()
  const late = former.transaction(async (transaction) => {
    await transaction.send([{ topic: outputTopic, partition: 0, key: 'late', value: 'late' }])
    await transaction.sendOffsets({ groupId, topic: inputTopic, offsets: new Map([[0, 1n]]) })
    await taken.promise
  })
  const outcome = late.catch((error: unknown) => error)

  // When
  await start(derivation)
  const sources = await derivation.sourcesUntil(2)
  taken.resolve()

  // Then
  expect(await outcome).toMatchObject({ code: 'kafka.fenced' })
  expect(sources).toEqual(['0/0', '0/1'])
}, 30_000)

test('a partition is taken in one order: the former owner is fenced, leave is asked, then the offset is read', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const { inputTopic, groupId } = derivation
  await derivation.write(0, 'a', 'b', 'c')
  const commitAs = async (transactionalId: string, offset: bigint) => {
    const transactor = createTransactor(kafka, { transactionalId, timeoutMs: 60_000 })
    cleanUps.push(() => transactor.close())
    await transactor.fence()
    return () =>
      transactor.transaction((transaction) =>
        transaction.sendOffsets({ groupId, topic: inputTopic, offsets: new Map([[0, offset]]) }),
      )
  }
  const commitAsFormerOwner = await commitAs(derivation.transactionalIdOf(0), 3n)
  const commitAsOperator = await commitAs(`${groupId}.operator`, 1n)
  const seen: unknown[] = []

  // When
  await start(derivation, {
    async mayTake() {
      seen.push(await commitAsFormerOwner().catch((error: unknown) => error))
      await commitAsOperator()
      return true
    },
  })

  // Then
  expect(await derivation.sourcesUntil(2)).toEqual(['0/1', '0/2'])
  expect(seen).toMatchObject([{ code: 'kafka.fenced' }])
}, 30_000)

test('what the former owner commits after the group was joined is not derived again', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const { inputTopic, outputTopic, groupId } = derivation
  await derivation.write(0, 'a', 'b', 'c')
  const former = createTransactor(kafka, {
    transactionalId: derivation.transactionalIdOf(0),
    timeoutMs: 60_000,
  })
  cleanUps.push(() => former.close())
  await former.fence()
  const run = derivation.run(connect())
  cleanUps.push(() => run.deriver.stop())
  run.deriver.pause()
  await run.deriver.start()

  // When
  await former.transaction(async (transaction) => {
    const headers = { 'svc-source': `${inputTopic}/0/1` }
    await transaction.send([{ topic: outputTopic, partition: 0, key: 'b', value: 'b', headers }])
    await transaction.sendOffsets({ groupId, topic: inputTopic, offsets: new Map([[0, 2n]]) })
  })
  run.deriver.resume()

  // Then
  expect(await derivation.sourcesUntil(2)).toEqual(['0/1', '0/2'])
}, 30_000)

test('nothing is derived from a partition that may not be taken, until it may', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  await derivation.write(0, 'a')
  let asked = 0

  // When
  const { errors } = await start(derivation, {
    mayTake: () => Promise.resolve(++asked > 2),
  })

  // Then
  expect(await derivation.sourcesUntil(1)).toEqual(['0/0'])
  expect(asked).toBe(3)
  expect(errors).toEqual([])
}, 30_000)

test('a record that cannot be transformed holds up its partition alone, is reported, and tried again', async () => {
  // Given
  const derivation = await makeDerivation(admin, 2)
  await derivation.write(0, 'a', 'stuck', 'b')
  await derivation.write(1, 'c')
  let isStuck = true

  // When
  const { errors, deriver } = await start(derivation, {
    transform: (records) =>
      records.map(({ key, value }) => {
        if (isStuck && value?.toString() === 'stuck') throw new AppError('not_known_yet', 'a key')
        return { key, value }
      }),
  })
  await derivation.sourcesUntil(1)
  await pollUntil(() => errors.length >= 2, within)

  // Then
  expect(await derivation.sources()).toEqual(['1/0'])
  expect(new Set(errors)).toEqual(new Set(['not_known_yet']))
  expect(deriver.lag()).toBe(3)

  // When
  isStuck = false

  // Then
  expect(await derivation.sourcesUntil(4)).toEqual(['0/0', '0/1', '0/2', '1/0'])
}, 30_000)

test('paused, it stays in its group and derives nothing; resumed, it goes on', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  const run = derivation.run(connect())
  cleanUps.push(() => run.deriver.stop())
  await derivation.write(0, 'a')
  run.deriver.pause()
  await run.deriver.start()
  await pollUntil(() => run.deriver.lag() === 1, within)

  // Then
  expect(run.deriver.assigned()).toEqual([0])
  expect(await derivation.sources()).toEqual([])

  // When
  run.deriver.resume()

  // Then
  expect(await derivation.sourcesUntil(1)).toEqual(['0/0'])
}, 30_000)

test('what may not be committed any more is undone, and comes again', async () => {
  // Given
  const derivation = await makeDerivation(admin, 1)
  await derivation.write(0, 'a')
  let asked = 0

  // When
  const committed: number[] = []
  await start(derivation, {
    mayCommit: () => ++asked > 2,
    onCommitted: (derived) => committed.push(derived.length),
  })

  // Then
  expect(await derivation.sourcesUntil(1)).toEqual(['0/0'])
  await pollUntil(() => committed.length > 0, within)
  expect(asked).toBe(3)
  expect(committed).toEqual([1])
}, 30_000)
