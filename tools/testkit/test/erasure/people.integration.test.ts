// The search for a person counts events by topic, before and after an erasure. Nothing reveals the person's value.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

import {
  asObject,
  signUp,
  exampleEvent,
  expectStatus,
  connectProducer,
  joinWorld,
  listIn,
  openAnalysts,
  setting,
  textIn,
} from '../../src/index.ts'
import type { Account, SharedWorld, TestStream } from '../../src/index.ts'

const session = 'ada-session-7f3a'
const customer = 'ada-customer-51c0'
const deadlineMs = 60_000

let world: SharedWorld
let account: Account
let web: TestStream
let app: TestStream
beforeAll(async () => {
  world = await joinWorld()
  account = await signUp(world.auth.url)
  await account.contract('clickstream', { data_subject_field: 'customer/id' })
  await account.contract('demo_v1')
  web = await account.input('web')
  app = await account.input('app')
  await account.output('web', 'analysts', { consentLevels: [1] })
  await click(web, 3, { producerSessionId: session, customer: { id: customer } })
  await demo(web, 2, session)
  await click(web, 4, { producerSessionId: 'ada-tablet', customer: { id: customer } })
  await click(web, 5, { producerSessionId: 'bob', customer: { id: 'bob-customer' } })
  await demo(app, 1, session)
})
afterAll(() => world?.stop())

const click = (stream: TestStream, count: number, more: object): Promise<void> =>
  send(stream, 'clickstream', { count, more })

const demo = (stream: TestStream, count: number, key: string): Promise<void> =>
  send(stream, 'demo_v1', { count, more: { consistent_value: key } })

const sentWith = [0, 1, 2, 3]
async function send(
  stream: TestStream,
  contract: 'clickstream' | 'demo_v1',
  { count, more }: { count: number; more: object },
): Promise<void> {
  const example = await exampleEvent(contract)
  const svcMeta = { ...asObject(example['svcMeta']), consentLevels: sentWith }
  const producer = await connectProducer(world.ingest.url)
  const token = await account.token(stream)
  for (let nth = 0; nth < count; nth += 1) {
    const event = { ...example, svcMeta, ...more }
    expect((await producer.send(event, { token, schemaId: contract })).status).toBe(204)
  }
  producer.close()
}

type Search = Record<string, unknown>

async function search(value: string, streams?: readonly string[]): Promise<Search> {
  const asked = await account.call('POST', '/v2/people/search', { value, streams })
  const path = `/v2/people/searches/${textIn(expectStatus(asked, 202).body, 'searchId')}`
  return pollUntil(
    async () => {
      const { body } = expectStatus(await account.call('GET', path), 200)
      return body['state'] === 'running' ? undefined : body
    },
    { deadlineMs, what: 'the search' },
  )
}

const inStream = (found: Search, name: string): Record<string, unknown> =>
  listIn(found, 'streams')
    .map(asObject)
    .find(({ stream }) => stream === name) ?? {}

/** Searches until the output `analysts` has this many events of the person. */
const searchDerived = (value: string, events: number): Promise<Search> =>
  pollUntil(
    async () => {
      const found = await search(value)
      const held = listIn(inStream(found, 'web'), 'held').map(asObject)
      return held.find(({ name }) => name === 'analysts')?.['events'] === events ? found : undefined
    },
    { deadlineMs, what: 'all events are derived' },
  )

const foundBy = (contract: string, field: string, as: string, events: number) => ({
  contract,
  field,
  as,
  events,
  firstAt: expect.any(String),
  lastAt: expect.any(String),
})
const nothing = { decrypted: [], levels: [], fields: [] }
const none = (name: string, kind: string) => ({ name, kind, events: 0, ...nothing })
const readable = {
  decrypted: ['customer/id', 'producerSessionId', 'unique_identifier'],
  levels: [0, 1],
  fields: expect.arrayContaining([{ contract: 'clickstream', field: 'customer/id', level: 0 }]),
}
const until = expect.stringMatching(/^\d{4}-/)

test('says how many events there are, by which field, and where which fields of them are decrypted', async () => {
  const found = await searchDerived(session, 5)
  expect(found).toMatchObject({ state: 'done', scanned: found['total'] })
  expect(found['streams']).toEqual([
    {
      stream: 'app',
      by: [foundBy('demo_v1', 'consistent_value', 'key_field', 1)],
      consent: sentWith.map((level) => ({ level, events: 1 })),
      held: [{ name: 'app', kind: 'input', events: 1, erased: 0, ...nothing, until }],
    },
    {
      stream: 'web',
      by: [
        foundBy('clickstream', 'producerSessionId', 'key_field', 3),
        foundBy('demo_v1', 'consistent_value', 'key_field', 2),
      ],
      consent: sentWith.map((level) => ({ level, events: 5 })),
      held: [
        { name: 'web', kind: 'input', events: 5, erased: 0, ...nothing, until },
        { name: 'analysts', kind: 'output', events: 5, ...readable, until },
        none('analysts', 'dead'),
      ],
    },
  ])
})

test('finds a data subject by all of its values of the key field', async () => {
  const found = await search(customer, ['web'])
  expect(found['streams']).toHaveLength(1)
  expect(inStream(found, 'web')['by']).toEqual([
    foundBy('clickstream', 'customer/id', 'data_subject_field', 7),
    // demo_v1 has no data subject field, but these events contain a session of the customer.
    foundBy('demo_v1', 'consistent_value', 'data_subject_field', 2),
  ])
})

test('finds nothing of a value that was never sent, and says where it looked', async () => {
  const found = await search(session.toUpperCase())
  expect(inStream(found, 'app')).toEqual({
    stream: 'app',
    by: [],
    held: [{ ...none('app', 'input'), erased: 0 }],
  })
  expect(inStream(found, 'web')['held']).toMatchObject([
    { name: 'web', events: 0 },
    { name: 'analysts', events: 0 },
    { name: 'analysts', events: 0 },
  ])
})

test('nothing that is kept or logged holds the value, and another account cannot see the search', async () => {
  const { searchId } = await search(session)
  const { body } = expectStatus(await account.call('GET', '/v2/audit?limit=1000'), 200)
  const entries = listIn(body, 'entries').map(asObject)
  // The log contains only a hash of the id, because the id decrypts the value.
  const hash = createHash('sha256').update(String(searchId)).digest('hex').slice(0, 32)
  const mine = entries.find(({ target }) => asObject(target)['search'] === hash)
  expect(mine).toMatchObject({ action: 'people.search', outcome: 'done' })
  expect(JSON.stringify([entries, world.logLines()])).not.toContain(session)
  const other = await signUp(world.auth.url)
  const path = `/v2/people/searches/${String(searchId)}`
  expect(await other.call('GET', path)).toMatchObject({ status: 404 })
})

test.each([
  [{ value: '' }, 422],
  [{ value: 'ada', streams: [] }, 422],
  [{ value: 'ada', streams: ['wbe'] }, 404],
  [{ value: 'ada', stream: 'web' }, 422],
  [{}, 422],
])('%j is refused with %i', async (body, status) => {
  const answer = await account.call('POST', '/v2/people/search', body)
  expect(answer.status).toBe(status)
  expect(JSON.stringify(answer.body)).not.toContain('ada')
})

test('an account may search for as many people at a time as its quota says', async () => {
  const ask = () => account.call('POST', '/v2/people/search', { value: 'bob' })
  const refused = await pollUntil(
    async () =>
      (await Promise.all(Array.from({ length: 8 }, ask))).find(({ status }) => status !== 202),
    { deadlineMs, what: 'a refusal' },
  )
  expect(refused).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } })
  await pollUntil(async () => (await ask()).status === 202, { deadlineMs, what: 'they are over' })
})

const erasures = async (stream: string) =>
  (await account.call('GET', `/v2/streams/${stream}/erasures`)).text.trim()

test('a value that names nobody in the field that is meant is not erased: the answer says where it is', async () => {
  for (const [body, says] of [
    [{ keyFieldValue: customer }, 'customer/id of clickstream: send it as subject'],
    [{ subject: session }, 'send it as keyFieldValue'],
    [
      { keyFieldValue: session.toUpperCase() },
      'has this value in producerSessionId of clickstream',
    ],
    [{ keyFieldValues: [session, 'nobody', 'bob'] }, 'has the values 2 (of 3, counted from 1)'],
    [{ keyFieldValue: session.toUpperCase(), levels: [1] }, 'Nothing was changed'],
  ] as const) {
    const refused = await account.call('POST', '/v2/streams/web/erasures', body)
    expect(refused).toMatchObject({ status: 409, body: { code: 'none_found' } })
    expect(textIn(refused.body, 'detail')).toContain(says)
    expect(refused.text.toLowerCase()).not.toContain(session)
    expect(refused.text).not.toContain(customer)
  }
  expect(await erasures('web')).toBe('[]')
})

test('whoever wants it all the same has a record that says 0 found', async () => {
  const even = { keyFieldValue: 'nobody', evenIfNoneFound: true }
  expect(await erase(even)).toMatchObject({
    found: { values: 0 },
    outputs: [{ events: 0, foundLevels: [] }],
  })
  const subject = { subject: 'nobody', evenIfNoneFound: true }
  expect(await erase(subject, 'app')).toMatchObject({ found: { events: 0 }, terms: [] })
})

// These tests come last, because they change the data.
test('what a search has found is erased by its id, in every way in which the person was found', async () => {
  await click(app, 2, { producerSessionId: 'cem', customer: { id: 'eve' } })
  await click(app, 1, { producerSessionId: 'eve', customer: { id: 'eve' } })
  await demo(app, 1, 'cem')
  const { searchId } = await search('eve', ['app'])
  const elsewhere = await account.call('POST', '/v2/streams/web/erasures', { searchId })
  expect(elsewhere).toMatchObject({ status: 409, body: { code: 'not_searched' } })
  expect(await erase({ searchId, reference: 'T-1' }, 'app')).toMatchObject({
    as: ['data_subject_field', 'key_field'],
    values: 1,
    found: {
      values: 1,
      events: 4,
      by: [
        foundBy('clickstream', 'customer/id', 'data_subject_field', 2),
        foundBy('clickstream', 'producerSessionId', 'key_field', 1),
        foundBy('demo_v1', 'consistent_value', 'data_subject_field', 1),
      ],
    },
    reference: 'T-1',
  })
  expect(inStream(await search('cem', ['app']), 'app')).toMatchObject({ erased: true })
})

test('after an erasure the events are still counted, as nobody’s to decrypt; those of outputs stay decrypted', async () => {
  expect(await erase({ keyFieldValue: session })).toMatchObject({ outputs: [{ events: 5 }] })
  const found = inStream(await search(session, ['web']), 'web')
  expect(found).toMatchObject({ erased: true })
  expect(listIn(found, 'held')).toMatchObject([
    { name: 'web', events: 5, erased: 5 },
    { name: 'analysts', events: 5, ...readable },
    { events: 0 },
  ])
  await demo(web, 1, session)
  const later = inStream(await search(session, ['web']), 'web')
  expect(later['erased']).toBeUndefined()
  expect(listIn(later, 'held')[0]).toMatchObject({ name: 'web', events: 6, erased: 5 })
})

test('levels that are withdrawn are told', async () => {
  await erase({ keyFieldValue: session, levels: [2, 3] }, 'app')
  expect(inStream(await search(session, ['app']), 'app')).toMatchObject({
    withdrawn: [2, 3],
    held: [{ name: 'app', events: 1, erased: 0 }],
  })
})

test('a deleted output is told as long as its topic is there', async () => {
  const doomed = await account.output('app', 'doomed', { consentLevels: [1], from: 'earliest' })
  const analysts = openAnalysts()
  // Kafka deletes no group that has a member. auth deletes the topic only after the group.
  const group = { 'group.id': `weir.${doomed.topic}` }
  const settings = { 'bootstrap.servers': setting('KAFKA_BROKERS'), ...group }
  const member = analysts.start({ do: 'follow', settings, topic: doomed.topic })
  await member.until(({ records }) => records.length === 5, deadlineMs)
  await account.call('DELETE', '/v2/streams/app/outputs/doomed')
  expect(listIn(inStream(await search(session, ['app']), 'app'), 'held')).toContainEqual(
    expect.objectContaining({ name: 'doomed', kind: 'deleted', events: 1 }),
  )
  analysts.close()
})

async function erase(body: object, stream = 'web'): Promise<Record<string, unknown>> {
  return expectStatus(await account.call('POST', `/v2/streams/${stream}/erasures`, body), 201).body
}
