// A search for an erased data subject still finds the person's events in outputs that decrypted the person's value
// before.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

import {
  asObject,
  connectProducer,
  exampleEvent,
  expectStatus,
  joinWorld,
  listIn,
  signUp,
  textIn,
} from '../../src/index.ts'
import type { Account, SharedWorld, TestStream } from '../../src/index.ts'

const deadlineMs = 60_000

let world: SharedWorld
let account: Account
let shop: TestStream
beforeAll(async () => {
  world = await joinWorld()
  account = await signUp(world.auth.url)
  await account.contract('clickstream', { data_subject_field: 'customer/id' })
  shop = await account.input('shop')
  await account.output('shop', 'buyers', { consentLevels: [1] })
  await account.output('shop', 'devices', { consentLevels: [1], consentLevelType: 'GRANULAR' })
  await account.output('shop', 'areas', { consentLevels: [3], consentLevelType: 'GRANULAR' })
  await account.output('shop', 'letters', { consentLevels: [3] })
  for (const id of ['dora', 'dora', 'dora of another shop']) await buy(id)
})
afterAll(() => world?.stop())

async function buy(id: string): Promise<void> {
  const example = await exampleEvent('clickstream')
  const svcMeta = { ...asObject(example['svcMeta']), consentLevels: [0, 1, 3] }
  const event = { ...example, svcMeta, producerSessionId: `${id}-tablet`, customer: { id } }
  const producer = await connectProducer(world.ingest.url)
  const sent = await producer.send(event, {
    token: await account.token(shop),
    schemaId: 'clickstream',
  })
  expect(sent.status).toBe(204)
  producer.close()
}

async function heldOf(value: string): Promise<Record<string, unknown>[]> {
  const asked = await account.call('POST', '/v2/people/search', { value, streams: ['shop'] })
  const path = `/v2/people/searches/${textIn(expectStatus(asked, 202).body, 'searchId')}`
  const found = await pollUntil(
    async () => {
      const { body } = expectStatus(await account.call('GET', path), 200)
      return body['state'] === 'running' ? undefined : body
    },
    { deadlineMs, what: 'the search' },
  )
  return listIn(asObject(listIn(found, 'streams')[0]), 'held').map(asObject)
}

const eventsIn = (held: readonly Record<string, unknown>[], name: string): unknown =>
  held.find((place) => place['name'] === name)?.['events']

/** Waits until these outputs have `count` events of the person. */
const derived = (value: string, count: number, names: readonly string[]) =>
  pollUntil(
    async () => {
      const held = await heldOf(value)
      return names.every((name) => eventsIn(held, name) === count) ? held : undefined
    },
    { deadlineMs, what: 'the events are derived' },
  )

test('after a withdrawal, an output that requires the level is said to have all that it decrypted, one without any field nothing', async () => {
  const subject = 'dora of another shop'
  await derived(subject, 1, ['areas', 'letters'])
  const asked = { subject, levels: [3] }
  const { body } = expectStatus(await account.call('POST', '/v2/streams/shop/erasures', asked), 201)
  expect(body).toMatchObject({
    outputs: [
      { name: 'areas', events: 1, foundLevels: [] },
      { name: 'letters', levels: [3], events: 1, foundLevels: [0, 1] },
    ],
    input: { clearAt: expect.stringMatching(/^\d{4}-/) },
  })
})

test('who was erased is found in the output that shows the value, and nowhere else', async () => {
  const before = await derived('dora', 2, ['buyers', 'devices', 'areas', 'letters'])
  expect(before[0]).toMatchObject({ name: 'shop', kind: 'input', events: 2 })
  const erasures = '/v2/streams/shop/erasures'
  const { body } = expectStatus(await account.call('POST', erasures, { subject: 'dora' }), 201)
  expect(body['outputs']).toMatchObject([
    { name: 'buyers', events: 2, foundLevels: [0, 1] },
    { name: 'devices', events: 2, foundLevels: [1] },
    { name: 'letters', events: 2, foundLevels: [0, 1] },
  ])
  expect(await heldOf('dora')).toMatchObject([
    { name: 'shop', kind: 'input', events: 0 },
    { name: 'areas', events: 0 },
    { name: 'areas', kind: 'dead', events: 0 },
    { name: 'buyers', events: 2, decrypted: ['customer/id', 'producerSessionId'] },
    { name: 'buyers', kind: 'dead', events: 0 },
    // This output does not decrypt the customer's id, so none of its events names the person.
    { name: 'devices', events: 0 },
    { name: 'devices', kind: 'dead', events: 0 },
    { name: 'letters', events: 2 },
    { name: 'letters', kind: 'dead', events: 0 },
  ])
  const again = await account.call('POST', erasures, { subject: 'dora' })
  expect(again).toMatchObject({ status: 409, body: { code: 'none_found' } })
  expect(textIn(again.body, 'detail')).toContain('already erased')
})
