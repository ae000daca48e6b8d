// The ACLs that let a stream's credentials read Kafka topics, from the stream's creation to its deletion. Also tests
// which wrong ACLs auth corrects when it starts.
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort, startService, startStack } from '@weir/devstack'
import { createAcls, createKafka } from '@weir/kafka'
import type { Acl, Acls } from '@weir/kafka'
import { createLog, pollUntil } from '@weir/kit'
import {
  kafkaBrokers,
  joinAuth,
  makeAccount,
  registryUrl,
  secretsOf,
  send,
  startAuth,
  startAuthEnv,
  textOf,
} from '../support.ts'
import type { Account, SharedAuth } from '../support.ts'

let auth: SharedAuth
let account: Account
let acls: Acls

beforeAll(async () => {
  const log = createLog('auth-test', 'silent')
  acls = createAcls(createKafka({ brokers: kafkaBrokers.split(','), clientId: 'auth-test', log }))
  auth = await joinAuth()
  account = await makeAccount(auth)
  await account.post('/v2/streams', { name: 'in' })
})

afterAll(async () => {
  await auth.stop()
  await acls.close()
})

const outputs = '/v2/streams/in/outputs'
const makeOutput = async (name: string): Promise<string> => {
  const levels = { consentLevels: [0], consentLevelType: 'CUMULATIVE' }
  return secretsOf(await account.post(outputs, { name, ...levels })).clientId
}

const readsOf = (clientId: string, name: string): Acl[] => {
  const principal = `User:${clientId}`
  const topic = `${account.billingId}.${name}`
  return [
    { principal, resource: 'group', name: clientId, pattern: 'prefixed', operation: 'read' },
    { principal, resource: 'topic', name: topic, pattern: 'literal', operation: 'read' },
  ]
}

async function held(clientId: string): Promise<Acl[]> {
  const found = (await acls.list()).filter(({ principal }) => principal === `User:${clientId}`)
  return found.sort((a, b) => (a.resource < b.resource ? -1 : 1))
}

test('the credentials of an output may read its topic from the 201 on, until they are revoked', async () => {
  const first = await makeOutput('revoked')
  expect(await held(first)).toEqual(readsOf(first, 'revoked'))
  const second = textOf((await account.post(`${outputs}/revoked/credentials`)).json, 'clientId')
  expect(await held(second)).toEqual(readsOf(second, 'revoked'))

  const revoked = await account.delete(`${outputs}/revoked/credentials/${first}`)

  expect(revoked.status).toBe(200)
  expect(await held(first)).toEqual([])
  expect(await held(second)).toEqual(readsOf(second, 'revoked'))
})

test('a disabled or deleted output may be read by nobody', async () => {
  const clientId = await makeOutput('switched')
  await account.patch(`${outputs}/switched`, { enabled: false })
  expect(await held(clientId)).toEqual([])
  await account.patch(`${outputs}/switched`, { enabled: true })
  expect(await held(clientId)).toEqual(readsOf(clientId, 'switched'))
  await account.delete(`${outputs}/switched`)
  expect(await held(clientId)).toEqual([])
})

test('an input stream is read by credentials alone that were made to listen and for nothing else', async () => {
  const made = await account.post('/v2/streams', { name: 'sealed' })
  expect(await held(secretsOf(made).clientId)).toEqual([])
  const add = (scope: string[]) => account.post('/v2/streams/sealed/credentials', { scope })
  const listening = textOf((await add(['listen'])).json, 'clientId')
  expect(await held(listening)).toEqual(readsOf(listening, 'sealed'))
  expect(await held(textOf((await add(['send'])).json, 'clientId'))).toEqual([])
})

test('a start gives what is missing, and takes what is left of streams that are no more', async () => {
  // Given
  const clientId = await makeOutput('mended')
  await acls.disallow([`User:${clientId}`])
  const dead = randomUUID()
  await acls.allow(readsOf(dead, 'mended'))
  const stranger = randomUUID()
  const others = readsOf(stranger, 'mended').slice(1)
  await acls.allow(others)
  // When
  const second = await auth.replica()
  // Then
  expect(await held(clientId)).toEqual(readsOf(clientId, 'mended'))
  expect(await held(dead)).toEqual([])
  expect(await held(stranger)).toEqual(others)
  await second.stop()
  await acls.disallow([`User:${stranger}`])
})

test("before auth has reached Kafka it says where its keys are, gives none, and isn't ready", async () => {
  const [port, adminPort] = [await freePort(), await freePort()]
  const at = `http://127.0.0.1:${port}`
  const env = {
    ...startAuthEnv,
    AUTH_PORT: String(port),
    AUTH_ADMIN_PORT: String(adminPort),
    AUTH_PUBLIC_URL: at,
    KAFKA_BROKERS: `127.0.0.1:${await freePort()}`,
  }
  const seen = new AbortController()
  const look = async () => {
    const ask = () => send(`${at}/.well-known/jwks.json`).catch(() => undefined)
    const jwks = await pollUntil(ask, { deadlineMs: 60_000 })
    const configuration = await send(`${at}/.well-known/openid-configuration`)
    const ready = await send(`http://127.0.0.1:${adminPort}/health/ready`)
    const api = await send(`${at}/v2/account`, { bearer: 'any' })
    seen.abort('seen')
    return { jwks, configuration, ready, api }
  }
  const looked = look()
  await expect(startService({ name: 'auth', env, signal: seen.signal })).rejects.toBe('seen')
  const { jwks, configuration, ready, api } = await looked
  expect([jwks?.status, jwks?.json]).toEqual([200, { keys: [] }])
  expect(jwks?.headers.get('cache-control')).toBe('no-store')
  expect(configuration.json).toMatchObject({ issuer: at, jwks_uri: `${at}/.well-known/jwks.json` })
  expect([ready.status, api.status]).toEqual([503, 503])
})

describe('on a Kafka without an authorizer', () => {
  let brokers: string
  let stop: () => Promise<void>

  beforeAll(async () => {
    const stack = await startStack({
      folder: mkdtempSync(join(tmpdir(), 'weir-auth-open-')),
      ports: 'free',
      schemaRegistryUrl: registryUrl,
      brokerSettings: { 'authorizer.class.name': '' },
    })
    brokers = stack.kafkaBrokers
    stop = () => stack.stop()
  })
  afterAll(() => stop())

  test('auth says so once, and works', async () => {
    const service = await startAuth({ KAFKA_BROKERS: brokers })
    const owner = await makeAccount(service)
    await owner.post('/v2/streams', { name: 'in' })
    for (const name of ['one', 'two']) {
      const levels = { consentLevels: [0], consentLevelType: 'CUMULATIVE' }
      const made = await owner.post(outputs, { name, ...levels })
      expect(made.status).toBe(201)
      expect((await owner.delete(`${outputs}/${name}`)).status).toBe(200)
    }
    const said = service.lines().filter((line) => line.includes('no authorizer'))
    expect(said).toHaveLength(1)
    await service.stop()
  })

  test('auth is never ready where ACLs are required', async () => {
    const said = new AbortController()
    const starting = startService({
      name: 'auth',
      env: { ...startAuthEnv, KAFKA_BROKERS: brokers, KAFKA_ACLS: 'required' },
      onLine: (line) => void (line.includes('no authorizer') && said.abort('said')),
      signal: said.signal,
    })
    await expect(starting).rejects.toBe('said')
  })
})
