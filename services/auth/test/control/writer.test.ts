import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import type { AddressedRecord, Transactor } from '@weir/kafka'
import {
  act,
  auditTopic,
  changeHeader,
  createChangeLog,
  createTables,
  hashOf,
  parseControlRecord,
  parseEntry,
} from '@weir/control-state'
import { createWriter } from '../../src/control/writer.ts'
import type { Decide } from '../../src/control/decide-changes.ts'
import type { Writer } from '../../src/control/writer.ts'
import {
  accountRecord,
  emptyKeyStore,
  log,
} from '../../../../packages/control-state/test/support.ts'

type Fault = 'fenced' | 'outcome_unknown' | 'lost' | 'unavailable'

/** A fake of the parts of Kafka that the writer uses: one log, one fence, and faults on demand. */
function fakeKafka() {
  const tables = createTables()
  const changes = createChangeLog()
  const faults: Fault[] = []
  const entries: Buffer[] = []
  const seen = { transactions: 0, fences: 0, catchUps: 0 }
  let epoch = 0
  let catchUpFault: Error | undefined

  const land = (records: readonly AddressedRecord[]): void => {
    for (const { topic, key, value, headers } of records) {
      if (topic === auditTopic) {
        entries.push(Buffer.from(value ?? ''))
        continue
      }
      changes.see(String(headers?.[changeHeader]))
      const record = value === null ? null : parseControlRecord(String(key), Buffer.from(value))
      tables.apply(String(key), record)
    }
  }
  const makeTransactor = (): Transactor => {
    let mine = 0
    return {
      async fence() {
        seen.fences += 1
        mine = epoch += 1
      },
      async transaction(work) {
        const sent: AddressedRecord[] = []
        const result = await work({
          send: async (records) => void sent.push(...records),
        })
        if (mine !== epoch) throw new AppError('kafka.fenced', 'fenced')
        const fault = faults.shift()
        if (fault === undefined || fault === 'outcome_unknown') land(sent)
        if (fault !== undefined)
          throw new AppError(`kafka.${fault === 'lost' ? 'outcome_unknown' : fault}`, 'no answer')
        seen.transactions += 1
        return result
      },
      close: async () => {},
    }
  }
  const follower = {
    tables,
    keyStore: emptyKeyStore(),
    changes,
    async catchUp() {
      seen.catchUps += 1
      if (catchUpFault !== undefined) throw catchUpFault
    },
  }
  return {
    tables,
    seen,
    faults,
    entries,
    makeTransactor,
    follower,
    intrude: () => void (epoch += 1),
    failCatchUps: (error: Error | undefined) => void (catchUpFault = error),
  }
}

type Fake = ReturnType<typeof fakeKafka>

const writerOn = ({ follower, makeTransactor }: Fake, now = Date.now): Writer =>
  createWriter({ follower, makeTransactor, log, now })

const making = act({ actor: { kind: 'auth' } }, 'account.create', {})

const add =
  (billingId: string): Decide<string> =>
  (draft) => {
    if (draft.account(billingId) !== undefined) throw new AppError('name_taken', 'taken')
    draft.put(`account/${billingId}`, accountRecord(billingId))
    return billingId
  }

test('a change is in the tables when it is answered', async () => {
  const kafka = fakeKafka()
  expect(await writerOn(kafka).change(making, add('a'))).toBe('a')
  expect(kafka.tables.account('a')?.billingId).toBe('a')
})

test('changes that wait together go into one transaction, and only one of them gets the name', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => writer.change(making, add('a'))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(kafka.seen.transactions).toBe(1)
})

test('a refusal that rests on a change of its batch is not answered before that change is stored', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  kafka.faults.push('lost', 'unavailable')
  const [first, second] = await Promise.allSettled([
    writer.change(making, add('a')),
    writer.change(making, add('a')),
  ])
  expect(first.status).toBe('fulfilled')
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'name_taken' } })
  expect(kafka.tables.account('a')).toBeDefined()
})

test('what the tables settle by themselves fences no other writer', async () => {
  const kafka = fakeKafka()
  kafka.tables.apply('account/a', accountRecord('a'))
  const writer = writerOn(kafka)
  await expect(writer.change(making, add('a'))).rejects.toMatchObject({ code: 'name_taken' })
  expect(await writer.change(making, (draft) => draft.account('a')?.billingId)).toBe('a')
  expect(kafka.seen).toMatchObject({ fences: 0, transactions: 0 })
})

test('a change is never decided on tables older than itself', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  const begun = Promise.withResolvers<void>()
  const first = writer.change(making, (draft) => {
    begun.resolve()
    return draft.account('a')?.billingId
  })
  // The second change is requested while the first one reads the tables.
  const second = writer.change(making, (draft) => draft.account('a')?.billingId)
  await begun.promise
  kafka.tables.apply('account/a', accountRecord('a'))
  expect([await first, await second]).toEqual([undefined, 'a'])
})

test('one producer serves change after change', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  for (const name of ['a', 'b', 'c']) await writer.change(making, add(name))
  expect(kafka.seen).toMatchObject({ fences: 1, transactions: 3 })
})

test('a change that is asked for as the one before is answered is not forgotten', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  for (let index = 0; index < 50; index++) await writer.change(making, add(`a${index}`))
  const chained = writer.change(making, add('x')).then(() => writer.change(making, add('y')))
  expect(await chained).toBe('y')
})

test('a writer that was fenced decides again on what the other one has written', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  await writer.change(making, add('a'))
  let decided = 0
  const change = writer.change(making, (draft) => {
    decided += 1
    return add('b')(draft)
  })
  kafka.intrude()
  kafka.tables.apply('account/b', accountRecord('b'))
  await expect(change).rejects.toMatchObject({ code: 'name_taken' })
  expect(decided).toBeGreaterThan(0)
})

test('a change whose outcome is unknown and that got through is answered as done, once', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  kafka.faults.push('outcome_unknown')
  expect(await writer.change(making, add('a'))).toBe('a')
  expect(kafka.seen.transactions).toBe(0)
})

test('a change whose outcome is unknown and that was lost is made again', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  kafka.faults.push('lost')
  expect(await writer.change(making, add('a'))).toBe('a')
  expect(kafka.seen).toMatchObject({ transactions: 1, fences: 2 })
})

test('a change that Kafka does not take within 20 s is given up as unavailable', async () => {
  const kafka = fakeKafka()
  let nowMs = 0
  kafka.failCatchUps(new AppError('kafka.unavailable', 'no broker'))
  const change = writerOn(kafka, () => (nowMs += 15_000)).change(making, add('a'))
  await expect(change).rejects.toMatchObject({ code: 'unavailable' })
})

test('an error that is no refusal reaches the caller and spoils no other change', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  const broken = writer.change(making, () => {
    throw new TypeError('a bug')
  })
  const sound = writer.change(making, add('a'))
  await expect(broken).rejects.toThrow('a bug')
  expect(await sound).toBe('a')
})

test('a closed writer finishes what waits and takes no more', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  const last = writer.change(making, add('a'))
  await writer.close()
  expect(await last).toBe('a')
  await expect(writer.change(making, add('b'))).rejects.toMatchObject({ code: 'unavailable' })
})

test('more changes than one transaction holds are all made', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  const names = Array.from({ length: 450 }, (_, index) => `a${index}`)
  expect(await Promise.all(names.map((name) => writer.change(making, add(name))))).toEqual(names)
  expect(kafka.seen.transactions).toBe(3)
})

test('each change has one entry in the audit log, in one chain with those of other writers', async () => {
  const kafka = fakeKafka()
  const [one, two] = [writerOn(kafka), writerOn(kafka)]
  await one.change(making, add('a'))
  await Promise.all(['b', 'c'].map((name) => two.change(making, add(name))))
  await one.change(making, add('d'))
  expect(chainOf(kafka)).toEqual([1, 2, 3, 4])
  expect(kafka.tables.auditHead()).toEqual({ seq: 4, hash: hashOf(lastEntryOf(kafka)) })
})

test.each(['lost', 'outcome_unknown'] as const)(
  'a change with an outcome that is %s has one entry all the same',
  async (fault) => {
    const kafka = fakeKafka()
    const writer = writerOn(kafka)
    kafka.faults.push(fault)
    await writer.change(making, add('a'))
    await writer.change(making, add('b'))
    expect(chainOf(kafka)).toEqual([1, 2])
  },
)

test('a refusal that is to be told has one entry, also when its outcome was unknown', async () => {
  const kafka = fakeKafka()
  kafka.faults.push('outcome_unknown')
  await writerOn(kafka).change({ ...making, refused: 'name_taken' }, () => undefined)
  expect(chainOf(kafka)).toEqual([1])
  expect(JSON.parse(String(lastEntryOf(kafka)))).toMatchObject({
    outcome: 'refused',
    code: 'name_taken',
  })
})

test('what changes nothing, and what was refused, has no entry', async () => {
  const kafka = fakeKafka()
  const writer = writerOn(kafka)
  await writer.change(making, add('a'))
  await writer.change(making, () => undefined)
  await expect(writer.change(making, add('a'))).rejects.toMatchObject({ code: 'name_taken' })
  expect(chainOf(kafka)).toEqual([1])
})

test('what only looks can change nothing', async () => {
  const kafka = fakeKafka()
  await expect(writerOn(kafka).change('read', add('a'))).rejects.toThrow(TypeError)
  expect(kafka.tables.account('a')).toBeUndefined()
})

/** Returns the sequence numbers of the entries. Checks that each entry refers to the previous one. */
function chainOf({ entries }: Fake): number[] {
  let prev = '0'.repeat(64)
  return entries.map((value) => {
    const entry = parseEntry('', value)
    expect(entry.prev).toBe(prev)
    prev = hashOf(value)
    return entry.seq
  })
}

const lastEntryOf = ({ entries }: Fake): Buffer => entries.at(-1) ?? Buffer.alloc(0)
