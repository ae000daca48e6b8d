// Kafka may leave out the markers of a transaction that ends while one of its partitions has no leader. The next owner
// of the two logs, with or without transactions, ends the transaction in the log without a marker, with the outcome in
// the other log.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { createFencer } from '../../src/fence/acquire.ts'
import { createTransactor } from '../../src/fence/transactor.ts'
import { connect, deleteTopicsMade, makeTopic, readRecords, uniqueName } from '../support.ts'
import { formerOwner, verifyPartitions } from './former-owner.ts'
import type { FormerOwner } from './former-owner.ts'

let admin: Admin
const cleanUps: (() => void)[] = []

beforeAll(async () => {
  admin = createAdmin(connect())
  await verifyPartitions(false)
})

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

afterAll(async () => {
  await verifyPartitions(true)
  await deleteTopicsMade(admin)
  await admin.close()
})

type Pair = { readonly transactionalId: string; readonly one: string; readonly other: string }

const makePair = async (): Promise<Pair> => ({
  transactionalId: uniqueName('owner'),
  one: await makeTopic(admin, 'one', 1),
  other: await makeTopic(admin, 'other', 1),
})

async function open({ transactionalId }: Pair) {
  const former = await formerOwner(connect(), transactionalId)
  cleanUps.push(former.close)
  const write = (topic: string, about = 'a') => former.write(topic, { about })
  return { ...former, write }
}

const logsOf = ({ one, other }: Pair) => ({
  partitions: [one, other].map((topic) => ({ topic, partition: 0 })),
  linkHeader: 'about',
})

async function acquire(pair: Pair): Promise<void> {
  const fencer = createFencer(connect())
  const { transactionalId } = pair
  await fencer
    .acquire({ ...logsOf(pair), transactionalId, deadlineMs: 30_000 })
    .finally(fencer.close)
}

/** Creates transactors until one of them has fenced. */
async function transact(pair: Pair): Promise<void> {
  const { transactionalId } = pair
  await pollUntil(
    async () => {
      const options = { transactionalId, timeoutMs: 10_000, logs: logsOf(pair) }
      const transactor = createTransactor(connect(), options)
      const fenced = transactor.fence().then(() => true)
      return fenced.catch(() => false).finally(() => transactor.close())
    },
    { deadlineMs: 60_000, what: 'a fence' },
  )
}

const OWNERS = [
  ['an owner', acquire],
  ['a transactor', transact],
] as const

async function abouts(topic: string): Promise<string[]> {
  const records = await readRecords(topic)
  return records.map(({ headers }) => headers['about']?.toString() ?? '')
}

/** Waits until no transaction is open in the logs, and returns the `about` headers of their committed records. */
async function committed({ one, other }: Pair): Promise<string[][]> {
  await pollUntil(
    async () => {
      for (const topic of [one, other]) {
        const [end] = await admin.offsets.ends(topic, { isolation: 'read_uncommitted' })
        const [seen] = await admin.offsets.ends(topic, { isolation: 'read_committed' })
        if (end !== seen) return false
      }
      return true
    },
    { deadlineMs: 60_000, what: 'the end of what was open' },
  )
  return [await abouts(one), await abouts(other)]
}

test.each(OWNERS)(
  'of a transaction of which no part was ended nothing counts, when %s comes',
  async (_, own) => {
    const pair = await makePair()
    const former = await open(pair)
    await former.write(pair.one)
    await former.write(pair.other)

    await own(pair)

    expect(await committed(pair)).toEqual([[], []])
  },
  60_000,
)

const HANGING = [
  ['one', 'other'],
  ['other', 'one'],
] as const

const ENDED = HANGING.flatMap(([ended, hanging]) =>
  OWNERS.flatMap(([who, own]) =>
    [true, false].map((isCommit) => [ended, isCommit, who, { own, hanging }] as const),
  ),
)

test.each(ENDED)(
  'a transaction that was ended in %s log alone, as committed: %s, is ended so in both when %s comes',
  async (ended, isCommit, _, { own, hanging }) => {
    const pair = await makePair()
    const former = await open(pair)
    await former.join(pair[ended])
    await former.write(pair[ended])
    await former.write(pair[hanging])
    await former.end(isCommit)

    await own(pair)

    expect(await committed(pair)).toEqual(isCommit ? [['a'], ['a']] : [[], []])
  },
  60_000,
)

/** The steps after which the former fence stopped. It had to end the hanging transaction. */
const STEPS = [
  ['took the transactional id', async () => undefined],
  [
    'had added both partitions to its transaction',
    (next: Pick<FormerOwner, 'join'>, { one, other }: Pair) => next.join(one, other),
  ],
  [
    'had ended it in one of them',
    async (next: Pick<FormerOwner, 'join' | 'end'>, { other }: Pair) => {
      await next.join(other)
      await next.end(true)
    },
  ],
] as const

const CASES = STEPS.flatMap(([step, interruptedAt]) =>
  OWNERS.map(([who, own]) => [step, who, { interruptedAt, own }] as const),
)

test.each(CASES)(
  'a committed transaction counts although somebody who was about to end it only %s, when %s comes',
  async (_step, _who, { interruptedAt, own }) => {
    const pair = await makePair()
    const former = await open(pair)
    await former.join(pair.other)
    await former.write(pair.one)
    await former.write(pair.other)
    await former.end(true)
    await interruptedAt(await open(pair), pair)

    await own(pair)

    expect(await committed(pair)).toEqual([['a'], ['a']])
  },
  60_000,
)

test('one whose first record hangs and is linked to none is judged by its other records', async () => {
  const pair = await makePair()
  const former = await open(pair)
  await former.join(pair.one)
  await former.write(pair.one, 'b')
  await former.write(pair.other, 'a')
  await former.write(pair.other, 'b')
  await former.end(true)

  await transact(pair)

  expect(await committed(pair)).toEqual([['b'], ['a', 'b']])
})

test('that a transaction was about the same once before says nothing about one that hangs', async () => {
  const pair = await makePair()
  const former = await open(pair)
  await former.join(pair.one, pair.other)
  await former.write(pair.one)
  await former.write(pair.other)
  await former.end(true)
  const next = await open(pair)
  await next.write(pair.one)

  await acquire(pair)

  expect(await committed(pair)).toEqual([['a'], ['a']])
})

test("another's open transaction changes nothing about which one counts", async () => {
  const pair = await makePair()
  const stranger = await open({ ...pair, transactionalId: uniqueName('stranger') })
  await stranger.join(pair.one, pair.other)
  await stranger.write(pair.one, 'theirs')
  await stranger.write(pair.other, 'theirs')
  const former = await open(pair)
  await former.join(pair.other)
  await former.write(pair.one)
  await former.write(pair.other)
  await former.end(true)

  await acquire(pair)
  await stranger.end(false)

  expect(await committed(pair)).toEqual([['a'], ['a']])
})

test('a transactor does not begin while a transaction of somebody else is open in its logs', async () => {
  const pair = await makePair()
  const stranger = await open({ ...pair, transactionalId: uniqueName('stranger') })
  await stranger.join(pair.one)
  await stranger.write(pair.one, 'theirs')
  const { transactionalId } = pair
  const options = { transactionalId, timeoutMs: 10_000, logs: logsOf(pair) }
  const transactor = createTransactor(connect(), options)
  cleanUps.push(() => void transactor.close())

  await expect(transactor.fence()).rejects.toMatchObject({ code: 'kafka.hanging_transaction' })
  await stranger.end(false)
})

test('without a header that links records, what was left open counts in no log more', async () => {
  const pair = await makePair()
  const former = await open(pair)
  await former.join(pair.one)
  await former.write(pair.one)
  await former.write(pair.other)
  await former.end(true)
  const fencer = createFencer(connect())
  cleanUps.push(fencer.close)
  const { transactionalId } = pair
  const { partitions } = logsOf(pair)

  await fencer.acquire({ transactionalId, partitions, deadlineMs: 30_000 })

  expect(await committed(pair)).toEqual([['a'], []])
})
