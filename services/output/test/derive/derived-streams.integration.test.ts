// spec Events 2 to 5, with the examples of the spec: how an input stream and its derived streams show one event
// (docs/wire-format.md Derived streams).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { asObject, exampleEvent, expectStatus } from '@weir/testkit'
import type { ExampleContract, TestListener, TestStream } from '@weir/testkit'
import { peopleContract, personEvent } from '../support/people-contract.ts'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

const outputs = {
  'level-0': { consentLevels: [0] },
  'level-1': { consentLevels: [1] },
  'level-2': { consentLevels: [2] },
  'level-3': { consentLevels: [3] },
  'only-1-and-3': { consentLevels: [1, 3], consentLevelType: 'GRANULAR' },
} as const
type Output = keyof typeof outputs

let scene: Scene
let input: TestStream
const listeners = new Map<string, TestListener>()

beforeAll(async () => {
  scene = await openScene()
  await scene.account.contracts()
  input = await scene.account.input('events')
  listeners.set('input', await scene.watch(input))
  for (const [name, definition] of Object.entries(outputs))
    listeners.set(name, await scene.watch(await scene.output('events', name, definition)))
})

afterAll(() => scene.close(), 30_000)

type Shown = Record<string, unknown>
/** An output is undefined if the event was not delivered to it. */
type ShownIn = { input: Shown } & Partial<Record<Output, Shown>>

/** Sends an event with these consent levels. Returns how each stream shows it. */
async function show(
  schemaId: string,
  eventWith: (consentLevels: number[]) => object,
  consentLevels: number[],
): Promise<ShownIn> {
  const event = await sendAndFind(schemaId, eventWith(consentLevels))
  // `last` has the same person, so it is later in the same partition. A stream that shows `last` has already processed
  // `event`.
  const last = await sendAndFind(schemaId, eventWith([0, 1, 2, 3]))
  const shown: ShownIn = { input: event }
  for (const [name, { events }] of listeners) {
    await pollUntil(() => findIn(events, last), { deadlineMs: 60_000, what: `event in ${name}` })
    Object.assign(shown, { [name]: findIn(events, event) })
  }
  return shown
}

async function showExample(
  contract: ExampleContract,
  consentLevels: number[],
  more: object = {},
): Promise<ShownIn> {
  const event = { ...(await exampleEvent(contract)), ...more }
  const eventWith = (levels: number[]) => ({
    ...event,
    svcMeta: { ...asObject(event['svcMeta']), consentLevels: levels },
  })
  return show(contract === 'demo_event' ? 'demo/event/1.0.0' : contract, eventWith, consentLevels)
}

/** Resolves with the event as the input stream shows it. */
async function sendAndFind(schemaId: string, event: object): Promise<Shown> {
  const { events = [] } = listeners.get('input') ?? {}
  const before = events.length
  await scene.send(input, schemaId, event)
  return pollUntil(() => events[before], { deadlineMs: 60_000, what: 'the event in the input' })
}

const findIn = (events: Shown[], { svcMeta }: Shown): Shown | undefined =>
  events.find((event) => asObject(event['svcMeta'])['nonce'] === asObject(svcMeta)['nonce'])

/** Encrypted text: base64 of the version 1, four bytes of the keyLink, an IV of 16 bytes, and the ciphertext. */
const sealedText = /^A[Q-Za-f][A-Za-z0-9+/]{26,}={0,2}$/
const sealed = expect.stringMatching(sealedText)

/** Returns a value of Avro JSON without the name of its union branch. */
const flat = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.values(value)[0]
    : value

const withoutMeta = (event: Shown): Shown =>
  Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'svcMeta'))

describe('CUMULATIVE with level L opens the fields of levels up to L', () => {
  test('level 0 opens customer/id (level 0) and not producerSessionId (level 1)', async () => {
    const shown = await showExample('clickstream', [0])
    expect(shown['level-0']).toEqual({ ...shown.input, customer: { id: 'customer-00042' } })
    expect(shown['level-0']?.['producerSessionId']).toEqual(sealed)
  })

  test('level 2 opens levels 1 and 2 and not level 3', async () => {
    const shown = await showExample('demo_v1', [2])
    expect(shown['level-2']).toEqual({
      ...shown.input,
      unique_identifier: 'unique-1',
      consistent_value: 'session-0001',
    })
    expect(shown['level-2']?.['some_sensitive_value']).toEqual(sealed)
  })

  test('the two kiosk contracts differ in the levels of the same fields alone', async () => {
    const opened = {
      device_id: 'device-0001',
      customer_id: 'customer-0042',
      session_id: 'session-0001',
    }
    const own = await showExample('nps_unified_v1', [0, 1])
    const partner = await showExample('partner_nps_unified_v1', [0, 1])
    expect(own['level-0']).toEqual(own.input)
    expect(own['level-1']).toEqual({ ...own.input, ...opened })
    expect(partner['level-0']).toEqual({ ...partner.input, ...opened })
    expect(partner['level-1']).toEqual({ ...partner.input, ...opened })
  })
})

test('GRANULAR opens exactly its levels', async () => {
  const shown = await showExample('demo_v1', [0, 1, 2, 3])
  expect(shown['only-1-and-3']).toEqual({
    ...shown.input,
    unique_identifier: 'unique-1',
    some_sensitive_value: 'sensitive',
  })
})

describe('an input stream shows its events sealed', () => {
  test.each<[ExampleContract, string[]]>([
    ['clickstream', ['producerSessionId', 'customer']],
    ['demo_v1', ['unique_identifier', 'consistent_value', 'some_sensitive_value']],
    ['demo_event', ['uniqueIdentifier', 'consistentValue', 'someSensitiveValue']],
    ['nps_unified_v1', ['device_id', 'customer_id', 'session_id']],
    ['partner_nps_unified_v1', ['device_id', 'customer_id', 'session_id']],
  ])('%s: the PII fields %j, and all others as they were sent', async (contract, pii) => {
    const { input: shown } = await showExample(contract, [])
    const expected = Object.entries(withoutMeta(await exampleEvent(contract))).map(
      ([name, value]) => {
        if (!pii.includes(name)) return [name, flat(value)]
        return [name, name === 'customer' ? { id: sealed } : sealed]
      },
    )
    expect(withoutMeta(shown)).toEqual(Object.fromEntries(expected))
  })
})

describe('consent', () => {
  const everywhere: Output[] = ['level-0', 'level-1', 'level-2', 'level-3', 'only-1-and-3']

  test.each<[number[], Output[]]>([
    [[], []],
    [[0], ['level-0']],
    [[1], ['level-1']],
    [[3], ['level-3']],
    [
      [0, 2],
      ['level-0', 'level-2'],
    ],
    [
      [3, 1],
      ['level-1', 'level-3', 'only-1-and-3'],
    ],
    [[0, 1, 2, 3], everywhere],
    [[4, 200], []],
  ])('to the levels %j reaches exactly the streams %j', async (consentLevels, expected) => {
    const shown = await showExample('clickstream', consentLevels)
    expect(everywhere.filter((name) => shown[name] !== undefined)).toEqual(expected)
    expect(asObject(shown.input['svcMeta'])['consentLevels']).toEqual(consentLevels)
  })
})

describe('PII that is not there', () => {
  test('stays null in the input and in every derived stream', async () => {
    const none = { unique_identifier: null, some_sensitive_value: null }
    const shown = await showExample('demo_v1', [0, 1, 2, 3], none)
    for (const each of Object.values(shown)) expect(each).toMatchObject(none)
  })

  test('an empty text is a value: sealed in the input, empty again where it is opened', async () => {
    const shown = await showExample('demo_v1', [3], { unique_identifier: { string: '' } })
    expect(shown.input['unique_identifier']).toEqual(sealed)
    expect(shown['level-3']).toMatchObject({ unique_identifier: '' })
  })
})

describe('PII in lists and nested records', () => {
  const eventWith = personEvent({
    phones: ['+31 1', '+31 2', '+31 1'],
    nicknames: ['', 'ace'],
    home: { street: 'Long Lane', city: 'Delft' },
  })

  beforeAll(async () => {
    const { call, billingId } = scene.account
    expectStatus(await call('POST', '/v2/contracts', peopleContract(billingId)), 201)
  })

  test('is sealed value by value, equal values alike, and nothing else is', async () => {
    const { input: shown } = await show('people', eventWith, [])
    expect(withoutMeta(shown)).toEqual({
      profile: {
        id: sealed,
        phones: [sealed, sealed, sealed],
        home: { street: sealed, city: 'Delft' },
        plan: 'free',
      },
      nicknames: [sealed, sealed],
      colours: ['red', 'red'],
    })
    const [first, second, third] = Object(shown['profile']).phones
    expect(first).toBe(third)
    expect(first).not.toBe(second)
  })

  test('is opened by level like any other', async () => {
    const shown = await show('people', eventWith, [0, 1, 2, 3])
    const profile = asObject(shown.input['profile'])
    const phones = ['+31 1', '+31 2', '+31 1']
    const [home, id] = [{ street: 'Long Lane', city: 'Delft' }, 'ada']
    const nicknames = ['', 'ace']
    expect(shown['level-0']).toEqual({ ...shown.input, nicknames })
    expect(shown['level-1']).toEqual({ ...shown.input, nicknames, profile: { ...profile, phones } })
    expect(shown['level-2']).toEqual({
      ...shown.input,
      nicknames,
      profile: { ...profile, phones, id },
    })
    expect(shown['level-3']).toEqual({
      ...shown.input,
      nicknames,
      profile: { ...profile, phones, id, home },
    })
    expect(shown['only-1-and-3']).toEqual({ ...shown.input, profile: { ...profile, phones, home } })
  })

  test('stays as it is where a list is empty, a record null, or a text in a record null', async () => {
    const empty = { phones: [], nicknames: [], home: null }
    const nowhere = { ...empty, home: { street: null, city: 'Delft' } }
    for (const person of [empty, nowhere]) {
      const shown = await show('people', personEvent(person), [0, 1, 2, 3])
      const { phones, nicknames, home } = person
      for (const each of Object.values(shown))
        expect(each).toMatchObject({ nicknames, profile: { phones, home } })
    }
  })
})
