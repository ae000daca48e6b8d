// Tests what `send` promises, with running services. The result is checked in Kafka.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  asObject,
  compiledExample,
  signUp,
  createTopicReader,
  exampleContract,
  exampleEvent,
  plainEvent,
  startWorld,
  textIn,
} from '@weir/testkit'
import type { Account, TestStream, TopicReader, World } from '@weir/testkit'
import { makeAuthority } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { createProducer, loadContract } from '../src/index.ts'
import type { Contract, Producer } from '../src/index.ts'

let world: World
let account: Account
let stream: TestStream
let reader: TopicReader
let contract: Contract
let event: Record<string, unknown>
const producers: Producer[] = []

beforeAll(async () => {
  world = await startWorld()
  account = await signUp(world.auth.url)
  await account.contract('clickstream')
  stream = await account.input('in', { partitions: 1 })
  reader = createTopicReader(world.env)
  contract = { id: 'clickstream', schema: (await exampleContract('clickstream'))['schema'] }
  event = { ...(await exampleEvent('clickstream')), svcMeta: { consentLevels: [0, 1] } }
})

afterAll(async () => {
  await Promise.all(producers.map((producer) => producer.close({ deadlineMs: 1_000 })))
  await reader?.close()
  await world?.stop()
})

function producerOf(more: Partial<Parameters<typeof createProducer>[0]> = {}): Producer {
  const producer = createProducer({
    authUrl: world.auth.url,
    ingestUrl: world.ingest.url,
    billingId: account.billingId,
    clientId: stream.clientId,
    clientSecret: stream.clientSecret,
    contract,
    onRetry: () => undefined,
    onError: () => undefined,
    ...more,
  })
  producers.push(producer)
  return producer
}

async function urlsStored(): Promise<unknown[]> {
  const compiled = await compiledExample('clickstream')
  return (await reader.read(stream.topic)).map((record) => plainEvent(compiled, record)['url'])
}

const url = (name: string): string => `https://shop.example.com/${name}`

test('an event that send resolved for is stored, alone or among many', async () => {
  const producer = producerOf()
  await producer.send({ ...event, url: url('one') })
  expect(await urlsStored()).toEqual([url('one')])

  const many = Array.from({ length: 1_200 }, (_, index) => url(`many/${index}`))
  await Promise.all(many.map((each) => producer.send({ ...event, url: each })))
  expect(new Set(await urlsStored())).toEqual(new Set([url('one'), ...many]))
  expect(producer.buffered()).toEqual({ events: 0, bytes: 0 })
})

test('with one request at a time events of a person keep their order', async () => {
  const producer = producerOf({ requestsMax: 1, batchEventsMax: 64 })
  const sent = Array.from({ length: 1_000 }, (_, index) => url(`ordered/${index}`))
  await Promise.all(sent.map((each) => producer.send({ ...event, url: each })))
  const isOne = (stored: unknown) => String(stored).includes('/ordered/')
  expect((await urlsStored()).filter(isOne)).toEqual(sent)
})

test('a stream slower than its producer gets everything in the end', async () => {
  const slow = await account.input('slow', { limits: { eventRate: '200', eventCount: '100000' } })
  const retries: string[] = []
  const { clientId, clientSecret } = slow
  const producer = producerOf({
    clientId,
    clientSecret,
    onRetry: ({ trouble }) => retries.push(trouble),
  })
  await Promise.all(Array.from({ length: 600 }, () => producer.send(event)))
  expect(await reader.readUntil(slow.topic, 600)).toHaveLength(600)
  expect(new Set(retries)).toEqual(new Set(['too many events']))
})

test('credentials that are revoked are final', async () => {
  const path = '/v2/streams/in/credentials'
  const { body } = await account.call('POST', path, {})
  const issued = { clientId: textIn(body, 'clientId'), clientSecret: textIn(body, 'clientSecret') }
  const producer = producerOf(issued)
  await producer.send(event)
  await account.call('DELETE', `${path}/${issued.clientId}`)
  const refusal = () =>
    producer.send(event).then(
      () => undefined,
      (error: unknown) => error,
    )
  const refused = await pollUntil(refusal, { deadlineMs: 60_000, what: 'being refused' })
  expect(refused).toMatchObject({ name: 'RejectedError', code: 'invalid_credentials' })
})

test('of a burst, those that break a validation are rejected with its sentence, and not stored', async () => {
  const producer = producerOf()
  const sends = ['good/1', 'bad', 'good/2'].map((name) =>
    producer.send({ ...event, url: name === 'bad' ? 'bad' : url(name) }),
  )
  const outcomes = await Promise.allSettled(sends)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  await expect(sends[1]).rejects.toMatchObject({
    name: 'RejectedError',
    code: 'validation_failed',
    status: 400,
    message: expect.stringMatching(/^regex clickstream\/url 'bad' doesnt match /),
  })
  const stored = await urlsStored()
  expect(stored).toEqual(expect.arrayContaining([url('good/1'), url('good/2')]))
  expect(stored).not.toContain('bad')
})

test('a contract that auth tells is as good as one in the program', async () => {
  const loaded = await loadContract({
    authUrl: world.auth.url,
    apiKey: account.apiKey,
    id: 'clickstream',
  })
  await producerOf({ contract: loaded }).send({ ...event, url: url('loaded') })
  expect(await urlsStored()).toContain(url('loaded'))
  await expect(
    loadContract({ authUrl: world.auth.url, apiKey: account.apiKey, id: 'none' }),
  ).rejects.toMatchObject({ code: 'not_found', status: 404 })
})

test('with a schema id alone events go as Avro JSON', async () => {
  const producer = producerOf({ contract: 'clickstream' })
  const whole = await exampleEvent('clickstream')
  await Promise.all(['json/1', 'json/2'].map((name) => producer.send({ ...whole, url: url(name) })))
  expect(await urlsStored()).toEqual(expect.arrayContaining([url('json/1'), url('json/2')]))
})

test('over TLS it trusts the authority that it is told, and no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-client-tls-'))
  try {
    const authority = await makeAuthority(folder, 'test')
    const { cert, key } = await authority.issue('weir', ['IP:127.0.0.1'], 1)
    const env = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }
    const [auth, ingest] = await Promise.all([
      world.replica('auth', env),
      world.replica('ingest', env),
    ])
    const secure = (address: string) => address.replace('http:', 'https:')
    const urls = { authUrl: secure(auth.url), ingestUrl: secure(ingest.url) }
    const ca = await readFile(authority.ca, 'utf8')
    await producerOf({ ...urls, ca }).send({ ...event, url: url('tls') })
    expect(await urlsStored()).toContain(url('tls'))
    await expect(producerOf({ ...urls, sendTimeoutMs: 500 }).send(event)).rejects.toMatchObject({
      code: 'timed_out',
      mayBeStored: false,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('wrong credentials and an unknown contract are final', async () => {
  await expect(producerOf({ clientSecret: 'wrong' }).send(event)).rejects.toMatchObject({
    name: 'RejectedError',
    code: 'invalid_credentials',
  })
  const unknown = { ...asObject(contract), id: 'unheard-of', schema: contract.schema }
  await expect(producerOf({ contract: unknown }).send(event)).rejects.toMatchObject({
    code: 'unknown_schema_id',
  })
})

test('an address of another service is said to be that', async () => {
  const { url } = world.auth
  await expect(producerOf({ ingestUrl: url }).send(event)).rejects.toMatchObject({
    code: 'not_found',
    message: `ingestUrl ${url} is not the address of ingest: Events are sent to ingest, which has another address`,
  })
  const { url: ingestUrl } = world.ingest
  const withPath = producerOf({ ingestUrl: `${ingestUrl}/events/` }).send(event)
  await expect(withPath).rejects.toMatchObject({
    message: expect.stringMatching(/^ingestUrl http:\S+\/events is not the address of ingest: /),
  })
  await expect(
    producerOf({ authUrl: ingestUrl, ingestUrl: url }).send(event),
  ).rejects.toMatchObject({
    message: `authUrl ${ingestUrl} is not the address of auth: it returns 404`,
  })
})
