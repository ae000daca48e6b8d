// Starts Kafka as Strimzi does for overlays/prod, with the same listeners, key stores and login module. An analyst
// connects with a token of an auth that has the overlay's settings. All connections use TLS.
import { generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { kekFilesIn, makeKekFiles, startService } from '@weir/devstack'
import type { Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { connectProducer, signUp, exampleEvent, openAnalysts, setting, textIn } from '@weir/testkit'
import type { Account, Analysts, Task, TestStream } from '@weir/testkit'

import { formatBroker } from './broker.ts'
import type { Broker } from './broker.ts'
import { makeScene } from './scene.ts'
import type { Scene } from './scene.ts'

const authorities = getCACertificates('default')
const services: Service[] = []
const calledOff = new AbortController()
let scene: Scene
let broker: Broker
let account: Account
let analysts: Analysts
let stream: TestStream
let early: { ended: number | 'serving'; log: string }

beforeAll(async () => {
  scene = await makeScene()
  setDefaultCACertificates([...authorities, readFileSync(scene.ca, 'utf8')])
  await makeKekFiles(scene.folder)
  broker = await formatBroker(scene)
  early = { ended: await broker.start(), log: await broker.log() }
  const auth = start('auth', scene.authPort)
  auth.catch(() => {}) // awaited once Kafka is ready
  await pollUntil(keysAreThere, { deadlineMs: 60_000, everyMs: 100, what: 'the keys of auth' })
  const again = await broker.start()
  if (again !== 'serving') throw new Error(`Kafka ended with ${again}:\n${await broker.log()}`)
  account = await signUp(secure(await auth))
  await account.contract('clickstream')
  stream = await account.input('clicks', { partitions: 1 })
  const ingest = await start('ingest', 0)
  const producer = await connectProducer(secure(ingest))
  const options = { token: await account.token(stream), schemaId: 'clickstream' }
  const answer = await producer.send(await exampleEvent('clickstream'), options)
  producer.close()
  if (answer.status !== 204) throw new Error(`${answer.status} ${answer.body}`)
  analysts = openAnalysts()
}, 240_000)

afterAll(async () => {
  calledOff.abort()
  analysts?.close()
  await Promise.all(services.map((service) => service.stop()))
  await broker?.stop()
  setDefaultCACertificates(authorities)
  await scene?.close()
})

const secure = ({ url }: Service): string => url.replace('http:', 'https:')

async function start(name: 'auth' | 'ingest', port: number): Promise<Service> {
  const own = name.toUpperCase()
  const service = await startService({
    name,
    readyWithinMs: 120_000,
    signal: calledOff.signal,
    env: {
      ...scene.environment(name),
      [`${own}_PORT`]: String(port),
      [`${own}_ADMIN_PORT`]: '0',
      KEK_FILE: kekFilesIn(scene.folder)[name],
      ...(name === 'auth'
        ? {
            PLATFORM_KEY: setting('PLATFORM_KEY'),
            PLATFORM_KEY_FILE: '',
            SCHEMA_REGISTRY_URL: setting('SCHEMA_REGISTRY_URL'),
            // The overlay requires more than one broker.
            TOPIC_REPLICATION: '1',
            KAFKA_REQUIRE_DURABLE: 'false',
          }
        : {}),
    },
  })
  services.push(service)
  return service
}

async function keysAreThere(): Promise<boolean> {
  const url = `https://127.0.0.1:${scene.authPort}/.well-known/jwks.json`
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  )
}

const onTheListener = (group: string): Task['settings'] => ({
  'bootstrap.servers': `127.0.0.1:${scene.node.portOf(9094)}`,
  'security.protocol': 'SASL_SSL',
  'ssl.ca.location': scene.kafkaCa,
  'sasl.mechanism': 'OAUTHBEARER',
  'group.id': group,
})

async function isRefused(settings: Task['settings']): Promise<void> {
  const client = analysts.start({ do: 'read', settings, topic: stream.topic })
  await client.until(({ errors }) => errors.includes('_AUTHENTICATION'), 60_000)
  expect(client.records).toEqual([])
}

test('Kafka ends at its start while nobody answers for the keys, and serves when it is started again', () => {
  expect(early.ended).toBe(1)
  expect(early.log).toContain('RefreshingHttpsJwks')
})

test("an analyst's client gets a token from auth under TLS and reads the stream", async () => {
  const { body } = await account.call('POST', '/v2/streams/clicks/credentials', {
    scope: ['listen'],
  })
  const clientId = textIn(body, 'clientId')
  const reader = analysts.start({
    do: 'read',
    topic: stream.topic,
    settings: {
      ...onTheListener(clientId),
      'sasl.oauthbearer.method': 'oidc',
      'sasl.oauthbearer.token.endpoint.url': `https://127.0.0.1:${scene.authPort}/oauth2/token`,
      'sasl.oauthbearer.client.id': clientId,
      'sasl.oauthbearer.client.secret': textIn(body, 'clientSecret'),
      'https.ca.location': scene.ca,
    },
  })
  // A broker that doesn't know the token's key refuses once, and then fetches the key.
  await reader.until(({ records }) => records.length === 1, 30_000)
})

const part = (value: object | Buffer): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url')

test('a token that auth has not signed is refused, and so is one without a signature, whoever it names', async () => {
  const now = Math.floor(Date.now() / 1000)
  const claims = (sub: string) =>
    part({ sub, iss: 'https://auth.weir.example.com', aud: 'weir', iat: now, exp: now + 600 })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signed = `${part({ alg: 'RS256', kid: 'foreign' })}.${claims(stream.clientId)}`
  const signature = sign('sha256', Buffer.from(signed), privateKey)
  const unsigned = [stream.clientId, 'unused', 'ANONYMOUS'].map(
    (sub) => `${part({ alg: 'none' })}.${claims(sub)}.`,
  )
  const tokens = [`${signed}.${part(signature)}`, ...unsigned]
  await Promise.all(tokens.map((token) => isRefused({ ...onTheListener(stream.clientId), token })))
})
