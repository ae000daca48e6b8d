// The audit log has an entry for each access to personal data: previews with samples, dead-lettered records, watching,
// and tokens of a derived stream's credentials. An entry says who read what and when, without values.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { asObject, exampleEvent, expectStatus, listen, textIn } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

let scene: Scene
let input: TestStream
let derived: TestStream
const person = 'Jane of the tests'

beforeAll(async () => {
  scene = await openScene()
  await scene.account.contract('demo_v1')
  input = await scene.account.input('in')
  derived = await scene.output('in', 'out', { consentLevels: [2] })
  const event = await exampleEvent('demo_v1')
  const svcMeta = { ...asObject(event['svcMeta']), consentLevels: [2] }
  await scene.send(input, 'demo_v1', { ...event, svcMeta, consistent_value: person })
})
afterAll(() => scene.close(), 30_000)

type Entry = Readonly<Record<string, unknown>>

async function entriesOf(action: string): Promise<Entry[]> {
  const { body } = expectStatus(await scene.account.call('GET', '/v2/audit?limit=1000'), 200)
  expect(JSON.stringify(body)).not.toContain(person)
  const entries = Array.isArray(body['entries']) ? body['entries'].map(asObject) : []
  return entries.filter((entry) => entry['action'] === action)
}

const atOutput = () => scene.account.at(scene.world.output.url)
const target = () => ({ account: scene.account.billingId, stream: 'in' })

test('a preview with samples has an entry by the time it is answered, with the key that asked', async () => {
  const before = await entriesOf('read.preview')
  const reply = await atOutput().call('POST', '/v2/streams/in/outputs/preview', {
    consentLevels: [2],
  })
  expect(expectStatus(reply, 200).text).toContain(person)
  const entries = await entriesOf('read.preview')
  expect(entries).toHaveLength(before.length + 1)
  expect(entries.at(-1)).toMatchObject({
    by: {
      kind: 'account',
      billingId: scene.account.billingId,
      keyId: expect.stringMatching(/^[0-9a-f]{12}$/),
      name: 'first key',
      requestId: reply.headers.get('svc-request-id'),
    },
    target: { ...target(), levels: [2], at: expect.any(String) },
    outcome: 'done',
  })
})

test('a preview without samples reads nothing of people, and has none', async () => {
  const made = await scene.account.call('POST', '/v2/api-keys', { name: 'dev', role: 'developer' })
  const before = await entriesOf('read.preview')
  const reply = await fetch(`${scene.world.output.url}/v2/streams/in/outputs/preview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${textIn(made.body, 'apiKey')}` },
    body: JSON.stringify({ consentLevels: [2] }),
  })
  expect(reply.status).toBe(200)
  expect(await entriesOf('read.preview')).toHaveLength(before.length)
})

test('dead records that are shown have an entry', async () => {
  expectStatus(await atOutput().call('GET', '/v2/streams/in/outputs/out/dead'), 200)
  expect(await entriesOf('read.dead')).toMatchObject([
    { by: { kind: 'account' }, target: { ...target(), output: 'out' } },
  ])
})

test('so has a retry of dead records, and one that is refused', async () => {
  const path = '/v2/streams/in/outputs/out/dead/retry'
  expectStatus(await atOutput().call('POST', path), 200)
  expectStatus(await atOutput().call('POST', path.replace('/out/', '/nothing/')), 404)
  const entries = await pollUntil(
    async () => {
      const told = await entriesOf('dead.retry')
      return told.length === 2 && told
    },
    { deadlineMs: 60_000, what: 'the entries' },
  )
  expect(entries).toMatchObject([
    { by: { kind: 'account' }, target: { ...target(), output: 'out' }, outcome: 'done' },
    { target: { ...target(), output: 'nothing' }, outcome: 'refused', code: 'not_found' },
  ])
})

test('each session of watching has an entry, by the credentials or by the key', async () => {
  const watching = await scene.watch(derived)
  const path = '/v2/streams/in/outputs/out/watch'
  const byKey = await listen(scene.world.output.url, scene.account.apiKey, path)
  const by = (await entriesOf('read.watch')).map((entry) => entry['by'])
  expect(by).toMatchObject([
    { kind: 'credentials', clientId: derived.clientId },
    { kind: 'account', name: 'first key' },
  ])
  watching.close()
  byKey.close()
})

test('a token of credentials that read a derived stream has an entry, once an hour and not with each', async () => {
  const made = await scene.account.call('POST', '/v2/streams/in/outputs/out/credentials')
  const { clientId, clientSecret } = expectStatus(made, 201).body
  const credentials = { clientId: String(clientId), clientSecret: String(clientSecret) }
  for (let count = 0; count < 3; count++) await scene.account.token(credentials)
  await scene.account.token(input)
  const entries = await entriesOf('read.token')
  const ofThese = entries.filter(({ by }) => asObject(by)['clientId'] === clientId)
  // There are two if a new hour begins during the test.
  expect([1, 2]).toContain(ofThese.length)
  expect(ofThese[0]).toMatchObject({ target: { ...target(), output: 'out' } })
  expect(entries.some(({ by }) => asObject(by)['clientId'] === input.clientId)).toBe(false)
})

test('the list of API keys tells the hour in which a key was used last, at auth or at output', async () => {
  const made = await scene.account.call('POST', '/v2/api-keys', { name: 'at output' })
  const [apiKey, keyId] = [textIn(made.body, 'apiKey'), textIn(made.body, 'keyId')]
  const keyInList = async (): Promise<Entry> => {
    const reply = await scene.account.call('GET', '/v2/api-keys')
    const list: unknown = JSON.parse(reply.text)
    const found = (Array.isArray(list) ? list.map(asObject) : []).find(
      (key) => key['keyId'] === keyId,
    )
    return asObject(found)
  }
  expect(await keyInList()).not.toHaveProperty('lastUsedAt')
  const headers = { authorization: `Bearer ${apiKey}` }
  await fetch(`${scene.world.output.url}/v2/streams/in/outputs/out/lag`, { headers })
  const used = await pollUntil(async () => (await keyInList())['lastUsedAt'], {
    deadlineMs: 60_000,
    what: 'the use of the key',
  })
  expect(String(used)).toMatch(/:00:00\.000Z$/)
  expect(Date.now() - Date.parse(String(used))).toBeLessThan(2 * 3_600_000)
})
