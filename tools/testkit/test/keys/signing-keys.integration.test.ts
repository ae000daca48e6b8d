// The key that signs tokens is changed in an emergency. A new key signs immediately. With `revoke`, every service
// refuses all tokens of the former key within a second. Other keys sign the receipts of erasures.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

import { within } from '../../src/scale.ts'
import { asObject, signUp, exampleEvent, expectStatus, request } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { listen } from '../../src/world/listener.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Producer } from '../../src/world/producer.ts'
import { setting } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'

const schemaId = 'clickstream'
const soon = { deadlineMs: within(1_000), everyMs: 10 }

let own: OwnNames
let world: World
let account: Account
let producer: Producer
let input: TestStream

beforeAll(async () => {
  own = await openOwnNames('signing-keys')
  world = await own.startWorld()
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
  input = await account.input('clicks')
  producer = await connectProducer(world.ingest.url)
})

afterAll(async () => {
  producer?.close()
  await own?.close()
})

const rotate = async (body?: object) => {
  const path = '/v2/platform/signing-keys/rotate'
  const key = setting('PLATFORM_KEY')
  return expectStatus(await request(world.auth.url, key, 'POST', path, body), 200).body
}

const kidOf = (token: string): unknown =>
  asObject(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8')))['kid']

const sendWith = async (token: string): Promise<number> =>
  (await producer.send(await exampleEvent(schemaId), { token, schemaId })).status

async function published(alg: string): Promise<unknown[]> {
  const { keys } = (await request(world.auth.url, '', 'GET', '/.well-known/jwks.json')).body
  const list = Array.isArray(keys) ? keys.map(asObject) : []
  return list.filter((key) => key['alg'] === alg).map((key) => key['kid'])
}

async function tokensOf({ clientId, clientSecret }: TestStream) {
  const credentials = { billingId: account.billingId, clientId, clientSecret }
  const { body } = expectStatus(await account.call('POST', '/auth', credentials), 200)
  return { idToken: String(body['idToken']), refreshToken: String(body['refreshToken']) }
}

test('a new key signs at once, and tokens of the former stay good', async () => {
  const before = await account.token(input)
  expect(await sendWith(before)).toBe(204)
  const rotated = await rotate()
  expect(rotated).toEqual({
    kid: expect.any(String),
    revoked: [],
    brokers: expect.stringContaining('connections.max.reauth.ms'),
  })
  const after = await account.token(input)
  expect([kidOf(after), kidOf(before)]).toEqual([
    rotated['kid'],
    expect.not.stringMatching(String(rotated['kid'])),
  ])
  expect([await sendWith(before), await sendWith(after)]).toEqual([204, 204])
  expect(await published('RS256')).toEqual(expect.arrayContaining([kidOf(before), kidOf(after)]))
})

test('with revoke every token of before is dead within a second, at auth, ingest and output; receipts stay good', async () => {
  const { idToken, refreshToken } = await tokensOf(input)
  expect(await sendWith(idToken)).toBe(204)
  const listener = await listen(world.output.url, idToken)
  const receipts = await published('ES256')

  const rotated = await rotate({ revoke: true })
  const sinceMs = Date.now()
  const { code } = await listener.closed
  expect([code, Date.now() - sinceMs < within(1_000)]).toEqual([4401, true])
  const isRefused = async () => (await sendWith(idToken)) === 401
  await pollUntil(isRefused, { ...soon, what: 'a refusal by ingest' })
  const refreshed = await account.call('POST', '/refresh', { refreshToken })
  expect([refreshed.status, refreshed.body['code']]).toEqual([401, 'invalid_credentials'])
  await expect(listen(world.output.url, idToken)).rejects.toThrow('refused with status 401')

  expect(rotated['revoked']).toEqual(expect.arrayContaining([kidOf(idToken)]))
  expect(await published('RS256')).toEqual([rotated['kid']])
  expect(await published('ES256')).toEqual(receipts)
  expect(await sendWith(await account.token(input))).toBe(204)
})

test('twice in a hurry, the last key signs', async () => {
  await rotate()
  const { kid } = await rotate({ revoke: true })
  expect(kidOf(await account.token(input))).toBe(kid)
})

test('it takes the platform key, and a body that is right', async () => {
  const path = '/v2/platform/signing-keys/rotate'
  expect((await account.call('POST', path)).status).toBe(401)
  const key = setting('PLATFORM_KEY')
  const wrong = await request(world.auth.url, key, 'POST', path, { revoke: 'yes' })
  expect([wrong.status, wrong.body['code']]).toEqual([422, 'invalid'])
})
