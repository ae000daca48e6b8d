// The export of a person's own events: each event of this person once, and no event of an erased person.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import {
  asObject,
  connectProducer,
  signUp,
  exampleEvent,
  expectStatus,
  joinWorld,
  listIn,
  textIn,
} from '../../src/index.ts'
import type { Account, SharedWorld, TestStream } from '../../src/index.ts'

const ada = 'ada-session-19e4'
const customer = 'ada-customer-8c02'
const deadlineMs = 60_000

let world: SharedWorld
let account: Account
let web: TestStream
beforeAll(async () => {
  world = await joinWorld()
  account = await signUp(world.auth.url)
  await account.contract('clickstream', { data_subject_field: 'customer/id' })
  await account.contract('demo_v1')
  web = await account.input('web', { partitions: 3 })
  await click('one', { producerSessionId: ada, customer: { id: customer } })
  await click('two', { producerSessionId: ada, customer: { id: customer } })
  await click('three', { producerSessionId: 'ada-tablet', customer: { id: customer } })
  await click('not-hers', { producerSessionId: 'bob', customer: { id: 'bob-customer' } })
  await send('demo_v1', { consistent_value: ada })
  await send('demo_v1', { consistent_value: 'bob' })
})
afterAll(() => world?.stop())

const click = (page: string, more: object): Promise<void> =>
  send('clickstream', { url: `https://shop.example/${page}`, ...more })

async function send(contract: 'clickstream' | 'demo_v1', more: object): Promise<void> {
  const example = await exampleEvent(contract)
  const svcMeta = { ...asObject(example['svcMeta']), consentLevels: [1] }
  const producer = await connectProducer(world.ingest.url)
  const token = await account.token(web)
  const event = { ...example, svcMeta, ...more }
  expect(await producer.send(event, { token, schemaId: contract })).toMatchObject({ status: 204 })
  producer.close()
}

const path = '/v2/streams/web/subject-access'
const ask = (body: object) => account.call('POST', path, body)

async function tokenFor(body: object): Promise<string> {
  return textIn(expectStatus(await ask(body), 200).body, 'accessToken')
}

const get = (token: string, to = path): Promise<Response> =>
  fetch(world.output.url + to, { headers: { authorization: `Bearer ${token}` } })

async function textFor(body: object, format = ''): Promise<string> {
  const response = await get(await tokenFor(body), path + format)
  expect(response.status).toBe(200)
  return response.text()
}

async function eventsFor(body: object): Promise<Record<string, unknown>[]> {
  const lines = (await textFor(body)).split('\n').filter((line) => line !== '')
  return lines.map((line) => asObject(JSON.parse(line)))
}

const pageOf = ({ event }: Record<string, unknown>): string =>
  textIn({ url: 'demo_v1', ...asObject(event) }, 'url').replace(/^.*\//, '')
const pagesOf = (events: readonly Record<string, unknown>[]): string[] =>
  events.map(pageOf).toSorted()

test('by the key field it gives the events that have the value, of every contract, decrypted', async () => {
  const events = await eventsFor({ keyFieldValue: ada })
  expect(pagesOf(events)).toEqual(['demo_v1', 'one', 'two'])
  const demo = events.find(({ contract }) => contract === 'demo_v1')
  // Also contains fields above the given consent, because the events are for this person.
  const example = await exampleEvent('demo_v1')
  expect(demo).toEqual({
    contract: 'demo_v1',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    levels: { unique_identifier: 1, consistent_value: 2, some_sensitive_value: 3 },
    person: 'searched',
    event: expect.objectContaining({
      consistent_value: ada,
      some_sensitive_value: Object.values(asObject(example['some_sensitive_value']))[0],
    }),
  })
})

test('by the data subject it gives the events of all devices', async () => {
  const events = await eventsFor({ subject: customer })
  expect(events.map((event) => `${pageOf(event)} ${String(event['person'])}`).toSorted()).toEqual([
    'demo_v1 linked',
    'one searched',
    'three searched',
    'two searched',
  ])
  expect(await eventsFor({ keyFieldValue: customer })).toEqual([])
  expect(await eventsFor({ subject: ada })).toEqual([])
})

test('by a search it gives what the search has found', async () => {
  const { body } = expectStatus(
    await account.call('POST', '/v2/people/search', { value: customer }),
    202,
  )
  const searchId = textIn(body, 'searchId')
  const granted = await pollUntil(
    async () => {
      const answer = await ask({ searchId })
      return answer.status === 409 ? undefined : answer
    },
    { deadlineMs, what: 'the search' },
  )
  const response = await get(textIn(expectStatus(granted, 200).body, 'accessToken'))
  expect((await response.text()).trim().split('\n')).toHaveLength(4)
})

test('times of events bound it', async () => {
  const [{ time } = { time: '' }] = await eventsFor({ subject: customer })
  const later = new Date(Date.parse(String(time)) + 3_600_000).toISOString()
  expect(await eventsFor({ subject: customer, from: later })).toEqual([])
  expect(await eventsFor({ subject: customer, until: later })).toHaveLength(4)
})

test('as CSV it is for a spreadsheet', async () => {
  const csv = await textFor({ keyFieldValue: ada }, '?format=csv')
  const rows = csv.split('\r\n')
  expect(rows[0]).toBe('event,time,contract,field,value,note,purpose,person')
  expect(rows.filter((row) => row.includes(`,clickstream,producerSessionId,${ada},`))).toHaveLength(
    2,
  )
})

test('events that name somebody else are marked, and can be left out', async () => {
  await click('shared', { producerSessionId: 'ada-tablet', customer: { id: 'bob-customer' } })
  const whole = await textFor({ subject: customer }, '?format=csv')
  expect(whole).toMatch(/customer\/id,bob-customer,[^\r]*,other\r/)
  const alone = await textFor({ subject: customer }, '?format=csv&without=other')
  expect(alone).not.toContain('bob-customer')
  expect(alone.match(/,customer\/id,ada-customer-8c02,/g)).toHaveLength(3)
  const own = await textFor({ subject: customer }, '?format=csv&without=other,linked,encrypted')
  expect(
    own.match(/,(searched|other|linked|encrypted)\r/g)?.every((end) => end === ',searched\r'),
  ).toBe(true)
  const refused = await get(await tokenFor({ subject: customer }), `${path}?without=ada`)
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('without must be one or more of other, linked, encrypted'),
  ])
})

test('a token is good for one download of its stream, and nothing else is a token', async () => {
  const token = await tokenFor({ keyFieldValue: ada })
  await account.input('other')
  const refused = async (response: Promise<Response>): Promise<void> => {
    const { status, headers } = await response
    expect([status, headers.get('svc-error')]).toEqual([401, 'invalid_access_token'])
  }
  await refused(get(token, '/v2/streams/other/subject-access'))
  expect((await (await get(token)).text()).split('\n')).toHaveLength(4)
  await refused(get(token))
  await refused(get(account.apiKey))
  await refused(get(await account.token(web)))
  await refused(fetch(world.output.url + path))
  const officer = await account.call('POST', '/v2/api-keys', { name: 'gone', role: 'officer' })
  const { apiKey, keyId } = expectStatus(officer, 201).body
  const authorization = `Bearer ${String(apiKey)}`
  const body = JSON.stringify({ keyFieldValue: ada })
  const asked = await fetch(world.auth.url + path, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  })
  expectStatus(await account.call('DELETE', `/v2/api-keys/${String(keyId)}`), 200)
  await refused(get(textIn(asObject(await asked.json()), 'accessToken')))
  const { expiresAt } = expectStatus(await ask({ keyFieldValue: ada }), 200).body
  expect(Date.parse(String(expiresAt)) - Date.now()).toBeLessThanOrEqual(300_000)
})

test.each([
  [{}, 422, 'invalid'],
  [{ keyFieldValue: ada, subject: customer }, 422, 'invalid'],
  [{ keyFieldValue: ada, from: 'yesterday' }, 422, 'invalid'],
  [
    { keyFieldValue: ada, from: '2026-11-21T10:00:00Z', until: '2026-11-21T10:00:00Z' },
    422,
    'invalid',
  ],
  [{ searchId: 'A'.repeat(43) }, 404, 'not_found'],
])('%j is refused with %i %s', async (body, status, code) => {
  const answer = await ask(body)
  expect(answer).toMatchObject({ status, body: { code } })
  expect(answer.text).not.toContain(ada)
})

test('the audit log says who asked and who downloaded; nothing that is logged holds the value or the token', async () => {
  const token = await tokenFor({ keyFieldValue: ada })
  await (await get(token)).text()
  const actions = ['subject.access', 'read.subject']
  const entries = await pollUntil(
    async () => {
      const { body } = expectStatus(await account.call('GET', '/v2/audit?limit=1000'), 200)
      const all = listIn(body, 'entries').map(asObject)
      return actions.every((one) => all.some(({ action }) => action === one)) ? all : undefined
    },
    { deadlineMs, what: 'both entries' },
  )
  for (const action of actions)
    expect(entries.find((entry) => entry['action'] === action)).toMatchObject({
      target: { stream: 'web' },
      by: { kind: 'account', name: expect.any(String) },
      outcome: 'done',
    })
  const logged = JSON.stringify([entries, world.logLines()])
  expect(logged).not.toContain(ada)
  expect(logged).not.toContain(token)
})

// The last test, because it changes the data.
test('a level that is withdrawn is named, and whoever is erased has no events, also with a token from before', async () => {
  const withdraw = { keyFieldValue: ada, levels: [3] }
  await erase(withdraw)
  const demo = (await eventsFor({ keyFieldValue: ada })).find(
    ({ contract }) => contract === 'demo_v1',
  )
  expect(demo).toMatchObject({ notDecrypted: { some_sensitive_value: 'withdrawn' } })
  const token = await tokenFor({ subject: customer })
  await erase({ keyFieldValue: ada })
  const left = (await (await get(token)).text()).trim().split('\n')
  expect(pagesOf(left.map((line) => asObject(JSON.parse(line))))).toEqual(['shared', 'three'])
  expect(await textFor({ keyFieldValue: ada })).toBe('')
})

async function erase(body: object): Promise<void> {
  const erasures = '/v2/streams/web/erasures'
  const { id } = expectStatus(await account.call('POST', erasures, body), 201).body
  await pollUntil(
    async () => {
      const { states } = expectStatus(
        await account.call('GET', `${erasures}/${String(id)}`),
        200,
      ).body
      return 'at' in asObject(asObject(states)['applied']) || undefined
    },
    { deadlineMs, what: 'that it is applied' },
  )
}
