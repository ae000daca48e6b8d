// Which records belong to a person, and which of their fields are decrypted.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createOpener, eraAt, linksOf, termOf } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { asObject } from '@weir/testkit'
import { matchingEvents } from '../../src/subject-access/person-events.ts'
import { keysOfEra, registryId, sealExample, timestampMs } from '../support/sealed.ts'
import type { Sealed } from '../support/sealed.ts'

const input = { streamId: randomUUID(), rotationHours: 24 }
const { whole, erased, withoutLevels, withoutLabel, withoutWithdrawn, changing } = keysOfEra(input)
const of = (name: string) => ({
  consistent_value: name,
  unique_identifier: { string: `id of ${name}` },
  some_sensitive_value: { string: `secret of ${name}` },
})
const ada = await sealExample('demo_v1', whole, of('ada'))
const bob = await sealExample('demo_v1', whole, of('bob'))
const adaLinks = new Set(linksOf(whole, 'ada').map((link) => Buffer.from(link).toString('hex')))
const term = termOf(eraAt(timestampMs))

type More = {
  readonly keys?: EraKeys | 'erased'
  readonly links?: ReadonlyMap<number, ReadonlySet<string>>
  readonly levels?: readonly number[]
  readonly fromMs?: number
  readonly untilMs?: number
  readonly knows?: boolean
  readonly isNamed?: (value: string) => boolean
  readonly titles?: ReadonlyMap<number, string>
}

const told = ({ contract, record }: Sealed, more: More = {}) =>
  matchingEvents(
    {
      opener: createOpener({ entriesMax: 100 }),
      contract: () =>
        more.knows === false ? undefined : { contract, registryId, keyField: 'consistent_value' },
      eraKeys: () => more.keys ?? whole,
    },
    {
      levelsIn: () => [0, 1, 2, 3],
      allowed: more.levels,
      titles: more.titles ?? new Map(),
      asked: {
        input,
        links: new Map([[term, adaLinks]]),
        isNamed: (value) => value === 'ada',
        ...more,
      },
    },
  )(record)

const event = { ...ada.sent, svcMeta: expect.anything() }
const levels = { unique_identifier: 1, consistent_value: 2, some_sensitive_value: 3 }
const known = { contract: 'demo_v1', time: '2026-11-20T12:00:00.000Z' }
const at = { ...known, levels, person: 'searched' }

test('an event of the person is there with every personal field, whatever the consent', async () => {
  expect(told(ada)).toEqual({ ...at, event })
  const { svcMeta } = asObject(ada.sent)
  const refusing = { ...of('ada'), svcMeta: { ...asObject(svcMeta), consentLevels: [] } }
  expect(told(await sealExample('demo_v1', whole, refusing))).toMatchObject({
    event: { consistent_value: 'ada', some_sensitive_value: 'secret of ada' },
  })
})

test('the names of its levels are there, of those that it has and of those that are withdrawn', async () => {
  const { svcMeta } = asObject(ada.sent)
  const sent = { ...of('ada'), svcMeta: { ...asObject(svcMeta), consentLevels: [0, 2] } }
  const keys = changing()
  keys.withdraw('ada', [3])
  const titles = new Map([
    [1, 'analytics'],
    [2, 'marketing e-mails'],
    [3, 'profiles'],
  ])
  const purposes = { 2: 'marketing e-mails', 3: 'profiles' }
  const event = await sealExample('demo_v1', whole, sent)
  expect(told(event, { keys: keys.now(), titles })).toMatchObject({ withdrawn: [3], purposes })
})

test("an event of somebody else isn't, nor one of another term, another time, or with a broken keyLink", () => {
  expect(told(bob)).toBeUndefined()
  expect(told(ada, { links: new Map([[term + 1, adaLinks]]) })).toBeUndefined()
  expect(told(ada, { fromMs: timestampMs, untilMs: timestampMs + 1 })).toBeDefined()
  expect(told(ada, { fromMs: timestampMs + 1 })).toBeUndefined()
  expect(told(ada, { untilMs: timestampMs })).toBeUndefined()
  const headers = { ...ada.record.headers, 'svc-key-link': Buffer.alloc(16, 7) }
  expect(told({ ...ada, record: { ...ada.record, headers } })).toBeUndefined()
  expect(told({ ...ada, record: { ...ada.record, headers: {} } })).toBeUndefined()
})

test('who is erased has no events, though the token was made before', () => {
  const keys = changing()
  keys.withdraw('ada', [0, 1, 2, 3])
  expect(told(ada, { keys: keys.now() })).toBeUndefined()
  expect(told(ada, { keys: 'erased' })).toBeUndefined()
  expect(told(ada, { keys: erased })).toBeUndefined()
})

test('who has withdrawn every level of a contract is not erased: levels of other contracts are left', () => {
  const keys = changing()
  keys.withdraw('ada', [1, 2, 3])
  expect(told(ada, { keys: keys.now() })).toMatchObject({
    notDecrypted: { consistent_value: 'withdrawn', some_sensitive_value: 'withdrawn' },
  })
})

test('a field of a level that is withdrawn, or that the deployment does not serve, is named', () => {
  const keys = changing()
  keys.withdraw('ada', [3])
  const sensitive = 'some_sensitive_value'
  expect(told(ada, { keys: keys.now() })).toEqual({
    ...at,
    withdrawn: [3],
    event: { ...event, [sensitive]: expect.not.stringContaining('ada') },
    notDecrypted: { [sensitive]: 'withdrawn' },
  })
  expect(told(ada, { levels: [0, 1, 2] })).toEqual({
    ...at,
    event: { ...event, [sensitive]: expect.not.stringContaining('ada') },
    notDecrypted: { [sensitive]: 'level_not_served' },
  })
})

test('an event names another person, nobody, or somebody unknown if the key field is encrypted', () => {
  expect(told(ada, { isNamed: () => false })).toMatchObject({ person: 'linked' })
  const keys = changing()
  keys.withdraw('ada', [2])
  expect(told(ada, { keys: keys.now() })).toMatchObject({ person: 'encrypted' })
})

test('a withdrawn level without a field is named, too, and who has withdrawn nothing has none', () => {
  const keys = changing()
  keys.withdraw('ada', [0])
  expect(told(ada, { keys: keys.now() })).toEqual({ ...at, withdrawn: [0], event })
  const ofBob = changing()
  ofBob.withdraw('bob', [2])
  expect(told(ada, { keys: ofBob.now() })).not.toHaveProperty('withdrawn')
})

test('what cannot be read about withdrawals is waited for', () => {
  expect(() => told(ada, { keys: withoutWithdrawn })).toThrow('is not known')
})

test('a record that its contract does not explain is told, without what is in it', () => {
  const unreadable = 'the record cannot be decoded with its contract'
  expect(told(ada, { knows: false })).toEqual({ ...known, unreadable })
  for (const value of [null, Buffer.from('no event'), ada.record.value?.subarray(0, -1) ?? null])
    expect(told({ ...ada, record: { ...ada.record, value } })).toEqual({ ...known, unreadable })
})

test.each([
  ['label', withoutLabel],
  ['levels', withoutLevels],
])('without the part `%s` it waits, and leaves nothing out', (_, keys) => {
  expect(() => told(ada, { keys })).toThrow(
    expect.objectContaining({ code: 'derive.not_known_yet' }),
  )
})
