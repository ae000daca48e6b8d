// API keys over HTTP: created with a name, a role and an expiry, listed, and deleted. Within a second, a deleted key is
// invalid at every replica.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { within } from '@weir/testkit'
import { asPlatform, joinAuth, makeAccount, problem, problemsOf, send, textOf } from '../support.ts'
import type { Reply, SharedAuth } from '../support.ts'

let auth: SharedAuth
let second: Pick<SharedAuth, 'url'>

beforeAll(async () => {
  auth = await joinAuth()
  second = await auth.replica()
})
afterAll(() => auth.stop())

const statusAt = async ({ url }: typeof second, bearer: string): Promise<number> =>
  (await send(`${url}/v2/account`, { bearer })).status

test('a key is shown once, works at every replica at once, and is listed without itself', async () => {
  const account = await makeAccount(auth)
  const made = await account.post('/v2/api-keys', {
    name: 'ci',
    role: 'developer',
    expiresInDays: 30,
  })
  const apiKey = textOf(made.json, 'apiKey')
  const listed = {
    keyId: expect.stringMatching(/^[0-9a-f]{12}$/),
    name: 'ci',
    role: 'developer',
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
  }
  expect(made).toMatchObject({ status: 201, json: { ...listed, apiKey } })
  const days =
    Date.parse(textOf(made.json, 'expiresAt')) - Date.parse(textOf(made.json, 'createdAt'))
  expect(days / 86_400_000).toBeCloseTo(30, 1)
  expect(await statusAt(second, apiKey)).toBe(200)
  const list = await account.get('/v2/api-keys')
  expect(list.list).toMatchObject([{ role: 'owner', name: 'first key' }, listed])
  expect(list.text).not.toContain(apiKey)
  const own = await send(`${auth.url}/v2/account`, { bearer: apiKey })
  expect(own.json).toMatchObject({ key: listed })
})

test('without a role a key is a viewer', async () => {
  const account = await makeAccount(auth)
  const made = await account.post('/v2/api-keys', { name: 'dashboard' })
  expect(made).toMatchObject({ status: 201, json: { role: 'viewer' } })
  expect(made.json).not.toHaveProperty('expiresAt')
})

test("the refusal to delete a key by its name says the key's id", async () => {
  const account = await makeAccount(auth)
  const made = await account.post('/v2/api-keys', { name: 'nightly', role: 'viewer' })
  const { status, json } = await account.delete('/v2/api-keys/nightly')
  const detail = `The account has no API key with the id nightly; id of the key with this name: ${textOf(made.json, 'keyId')}`
  expect([status, json['detail']]).toEqual([404, detail])
})

test('a key that is deleted at one replica is dead at the others within a second', async () => {
  const account = await makeAccount(auth)
  const made = await account.post('/v2/api-keys', { name: 'short', role: 'owner' })
  const [apiKey, keyId] = [textOf(made.json, 'apiKey'), textOf(made.json, 'keyId')]
  expect(await statusAt(second, apiKey)).toBe(200)
  const deleted = await account.delete(`/v2/api-keys/${keyId}`)
  expect(deleted).toMatchObject({ status: 200, json: { deleted: [{ keyId, name: 'short' }] } })
  expect(await statusAt(auth, apiKey)).toBe(401)
  await pollUntil(async () => (await statusAt(second, apiKey)) === 401, {
    deadlineMs: within(1_000),
    what: 'the end of the key at the other replica',
  })
  const again = await account.delete(`/v2/api-keys/${keyId}`)
  expect(again).toMatchObject({ status: 404, json: problem(404, 'not_found') })
})

test('the last owner key is not deleted, not even by another that will expire', async () => {
  const account = await makeAccount(auth)
  const [own] = (await account.get('/v2/api-keys')).list
  const path = `/v2/api-keys/${textOf(own, 'keyId')}`
  const refused = { status: 409, json: problem(409, 'last_owner_key') }
  expect(await account.delete(path)).toMatchObject(refused)
  await account.post('/v2/api-keys', { name: 'soon over', role: 'owner', expiresInDays: 1 })
  expect(await account.delete(path)).toMatchObject(refused)
  await account.post('/v2/api-keys', { name: 'second owner', role: 'owner' })
  expect((await account.delete(path)).status).toBe(200)
})

test('the 101st key is refused to the account and to the platform, and all others stay', async () => {
  const account = await makeAccount(auth)
  const make = (): Promise<Reply> => account.post('/v2/api-keys', { name: 'one of many' })
  const made = await Promise.all(Array.from({ length: 99 }, make))
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
  const refused = { status: 409, json: problem(409, 'too_many_api_keys') }
  const reply = await make()
  expect(reply).toMatchObject(refused)
  expect(reply.text).toContain('delete a key first')
  expect(await asPlatform(auth, `/v2/accounts/${account.billingId}/keys`)).toMatchObject(refused)
  expect((await account.get('/v2/api-keys')).list).toHaveLength(100)
})

test.each([
  ['a key without a name', {}, 'name must be 1 to 100 characters'],
  ['an unknown role', { name: 'x', role: 'root' }, 'role must be one of owner, developer, officer'],
  ['an end that is over', { name: 'x', expiresInDays: 0 }, 'expiresInDays must be a whole number'],
  ['half a day', { name: 'x', expiresInDays: 0.5 }, 'expiresInDays must be a whole number'],
  ['an unknown member', { name: 'x', expires: 1 }, 'expires is not known here'],
  ['a name with a line end', { name: 'a\nb' }, 'name must be 1 to 100 characters'],
])('%s is refused, and it is said why', async (_what, body, sentence) => {
  const account = await makeAccount(auth)
  const reply = await account.post('/v2/api-keys', body)
  expect(reply).toMatchObject({ status: 422, json: problem(422, 'invalid') })
  expect(problemsOf(reply).join()).toContain(sentence)
})
