// The fenced writer against a real broker: the rules hold for any number of replicas that write at the same time.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Kafka, Transactor } from '@weir/kafka'
import { AppError, hasCode, pollUntil } from '@weir/kit'
import type { StateFollower, StateFollowing } from '@weir/control-state'
import { accountKey, controlTopic, controlValue } from '@weir/control-state'
import { createWriter, writerTransactor } from '../../src/control/writer.ts'
import type { Writer } from '../../src/control/writer.ts'
import {
  given,
  accountRecord,
  connect,
  follow,
  log,
  makeControlTopics,
  uniqueName,
} from '../../../../packages/control-state/test/support.ts'

type Replica = {
  kafka: Kafka
  follower: StateFollower
  following: StateFollowing
  writer: Writer
}

const replicas: Replica[] = []
const made = new Set<string>()

async function startReplica(): Promise<Replica> {
  const kafka = connect()
  const following = follow(kafka)
  const { follower } = following
  const makeTransactor = () => writerTransactor(kafka)
  const writer = createWriter({ follower, log, now: Date.now, makeTransactor })
  await following.start()
  const replica = { kafka, follower, following, writer }
  replicas.push(replica)
  return replica
}

beforeAll(async () => {
  await makeControlTopics(connect())
  await startReplica()
  await startReplica()
})

afterAll(async () => {
  await replicas[0]?.writer.change(given, (draft) => {
    for (const name of made) draft.put(accountKey(name), null)
  })
  await Promise.all(
    replicas.map(async ({ writer, following }) => {
      await writer.close()
      await following.close()
    }),
  )
})

const name = (what: string): string => {
  const unique = uniqueName(what)
  made.add(unique)
  return unique
}

const claim = ({ writer }: Replica, account: string, by: string): Promise<string> =>
  writer.change(given, (draft) => {
    if (draft.account(account) !== undefined) throw new AppError('name_taken', 'taken')
    draft.put(accountKey(account), accountRecord(account, [by]))
    return by
  })

const replica = (index: number): Replica => {
  const found = replicas[index]
  if (found === undefined) throw new Error(`there is no replica ${index}`)
  return found
}

test('of two replicas that claim one name at once, one gets it and both know which', async () => {
  const account = name('claimed')
  const outcomes = await Promise.allSettled(
    [0, 1].map((index) => claim(replica(index), account, `replica ${index}`)),
  )
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const winner = outcomes.find((outcome) => outcome.status === 'fulfilled')?.value
  await Promise.all(replicas.map(({ follower }) => follower.catchUp()))
  for (const { follower } of replicas)
    expect(follower.tables.account(account)?.apiKeys.map(({ hash }) => hash)).toEqual([winner])
})

test('no change is lost when two replicas change one record in turn', async () => {
  const account = name('counted')
  const each = 20
  const append = ({ writer }: Replica, mark: string): Promise<void> =>
    writer.change(given, (draft) => {
      const marks = draft.account(account)?.apiKeys.map(({ hash }) => hash) ?? []
      draft.put(accountKey(account), accountRecord(account, [...marks, mark]))
    })
  const runs = [0, 1].map(async (index) => {
    for (let turn = 0; turn < each; turn++) await append(replica(index), `${index}/${turn}`)
  })
  await Promise.all(runs)
  await replica(0).follower.catchUp()
  const marks = replica(0).follower.tables.account(account)?.apiKeys ?? []
  expect(new Set(marks).size).toBe(2 * each)
  expect(marks).toHaveLength(2 * each)
})

test('a writer that was fenced decides on what the other has written since', async () => {
  const { kafka, writer } = replica(0)
  const account = name('fenced')
  const before = name('before')
  await claim(replica(0), before, 'first')
  // Given: an intruder fences the replica's writer and writes, and this writer's producer does not notice. The auth of
  // another test may fence the intruder in between.
  const intrude = (intruder: Transactor): Promise<void> =>
    intruder.transaction((tx) =>
      tx.send([
        {
          topic: controlTopic,
          partition: 0,
          key: accountKey(account),
          value: controlValue(accountRecord(account, ['intruder'])),
        },
      ]),
    )
  const hasIntruded = async (): Promise<Transactor | undefined> => {
    const intruder = writerTransactor(kafka)
    try {
      await intruder.fence()
      await intrude(intruder)
      return intruder
    } catch (error) {
      await intruder.close()
      if (hasCode(error, 'kafka.fenced')) return undefined
      throw error
    }
  }
  const what = 'an intruder that has written'
  const intruder = await pollUntil(hasIntruded, { deadlineMs: 60_000, what })
  // When
  let decided = 0
  const change = writer.change(given, (draft) => {
    decided += 1
    const marks = draft.account(account)?.apiKeys.map(({ hash }) => hash) ?? []
    draft.put(accountKey(account), accountRecord(account, [...marks, 'mine']))
    return [...marks, 'mine']
  })
  // Then
  expect(await change).toEqual(['intruder', 'mine'])
  expect(decided).toBeGreaterThan(1)
  await expect(intrude(intruder)).rejects.toMatchObject({ code: 'kafka.fenced' })
  await intruder.close()
})

test('what is answered is in the tables of its own replica, and in every other after catching up', async () => {
  const account = name('seen')
  await claim(replica(1), account, 'one')
  expect(replica(1).follower.tables.account(account)).toBeDefined()
  await replica(0).follower.catchUp()
  expect(replica(0).follower.tables.account(account)).toBeDefined()
})
