// Two installations of Weir share a broker with an authorizer. One prefix is the beginning of the other prefix.
// Accounts, streams and people have the same names. No action in one installation affects the other, and no login has
// rights in the other. auth has exactly the rights of docs/operations.md, «Sharing a cluster».
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createAcls } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import type { Contract } from '@weir/contracts'

import { signUp, exampleEvent, expectStatus, request } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { openLoginStack } from '../../src/world/login-stack.ts'
import type { LoginStack, RawAcl } from '../../src/world/login-stack.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { setting } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, createTopicReader, plainEvent } from '../../src/world/topic.ts'
import type { TopicReader } from '../../src/world/topic.ts'
import { tryAtKafka } from './taken-over/attacker.ts'
import type { Pod } from './taken-over/attacker.ts'

const schemaId = 'clickstream'
const services = ['auth', 'ingest', 'output'] as const
type ServiceName = (typeof services)[number]

type Weir = {
  readonly prefix: string
  readonly world: World
  readonly reader: TopicReader
  readonly account: Account
  readonly input: TestStream
  readonly derived: TestStream
}

const prefixes = { outer: 'a.', inner: 'a.b.' }
type Name = keyof typeof prefixes
const userOf = (name: Name, service: ServiceName): string => `${name}-${service}`

let stack: LoginStack
let contract: Contract
let outer: Weir
let inner: Weir

beforeAll(async () => {
  contract = await compiledExample(schemaId)
  const users = services.flatMap((service) => [userOf('outer', service), userOf('inner', service)])
  stack = await openLoginStack('two-weirs', users)
  await stack.addAcls([...rightsOfAuth('outer'), ...rightsOfAuth('inner')])
  ;[outer, inner] = await Promise.all([openWeir('outer'), openWeir('inner')])
}, 240_000)

afterAll(async () => {
  await Promise.all([outer?.reader.close(), inner?.reader.close()])
  await stack?.close()
})

function rightsOfAuth(weir: Name): RawAcl[] {
  const right = (type: string, name: string, operation: string, pattern = 'LITERAL'): RawAcl => ({
    principal: `User:${userOf(weir, 'auth')}`,
    permission: 'ALLOW',
    type,
    name,
    pattern,
    operation,
  })
  const under = ['TOPIC', 'GROUP', 'TRANSACTIONAL_ID'].map((type) =>
    right(type, prefixes[weir], 'ALL', 'PREFIXED'),
  )
  const look = ['DESCRIBE', 'DESCRIBE_CONFIGS']
  const kafkasOwn = ['__consumer_offsets', '__transaction_state'].flatMap((topic) =>
    look.map((operation) => right('TOPIC', topic, operation)),
  )
  const cluster = [...look, 'ALTER'].map((one) => right('BROKER', 'kafka-cluster', one))
  return [...under, ...kafkasOwn, ...cluster]
}

async function openWeir(name: Name): Promise<Weir> {
  const prefix = prefixes[name]
  const auth = {
    KAFKA_ACLS: 'required',
    KAFKA_INGEST_PRINCIPAL: `User:${userOf(name, 'ingest')}`,
    KAFKA_OUTPUT_PRINCIPAL: `User:${userOf(name, 'output')}`,
  }
  const login = (service: ServiceName) => stack.loginOf(userOf(name, service))
  const world = await stack.startWorld(
    { KAFKA_PREFIX: prefix },
    { auth: { ...login('auth'), ...auth }, ingest: login('ingest'), output: login('output') },
  )
  const account = await signUp(world.auth.url, 'acme')
  await account.contract(schemaId)
  const input = await account.input('clicks', { partitions: 1 })
  const derived = await account.output('clicks', 'clicks-1', { consentLevels: [1] })
  const reader = createTopicReader({ KAFKA_BROKERS: stack.brokers, KAFKA_PREFIX: prefix })
  return { prefix, world, reader, account, input, derived }
}

async function send({ world, account, input }: Weir, person: string): Promise<void> {
  const producer = await connectProducer(world.ingest.url)
  const event = { ...(await exampleEvent(schemaId)), producerSessionId: person }
  const token = await account.token(input)
  expect((await producer.send(event, { token, schemaId })).status).toBe(204)
  producer.close()
}

/** Returns the person of each event in the topic, if the event could be decrypted. */
async function peopleIn({ reader }: Weir, topic: string, count: number): Promise<string[]> {
  const records = await reader.readUntil(topic, count, 60_000)
  return records.map((record) => {
    const isSealed = record.headers['svc-undecryptable'] !== undefined
    return isSealed ? 'sealed' : String(plainEvent(contract, record)['producerSessionId'])
  })
}

test('each has its own events, under its own names', async () => {
  await send(outer, 'ada')
  await send(outer, 'eve')
  await send(inner, 'ada')

  expect(await peopleIn(outer, outer.derived.topic, 2)).toEqual(['ada', 'eve'])
  expect(await peopleIn(inner, inner.derived.topic, 1)).toEqual(['ada'])
  for (const { prefix, account, reader, derived } of [outer, inner]) {
    const shown = expectStatus(await account.call('GET', '/v2/streams/clicks'), 200).body
    expect(shown['topic']).toBe(`${prefix}acme.clicks`)
    const [first] = await reader.read(derived.topic)
    expect(String(first?.headers['svc-source'])).toBe(`${prefix}acme.clicks/0/0`)
  }
})

test('a login of one can write, read and fence nothing of the other', async () => {
  for (const [name, own, other] of [
    ['outer', outer, inner],
    ['inner', inner, outer],
  ] as const)
    for (const service of ['ingest', 'output'] as const) {
      const ownKeys = `${own.prefix}weir.keys`
      const { produced, fenced, read } = await tryAtKafka(podOf(name, service), {
        produce: topicsOf(other).map((topic) => ({ topic })),
        fence: [`${other.prefix}weir.control.writer`, `${other.prefix}weir.derive.acme.clicks-1.0`],
        read: [ownKeys, ...topicsOf(other)],
      })
      expect(new Set(Object.values(produced))).toEqual(new Set(['TOPIC_AUTHORIZATION_FAILED']))
      expect(new Set(Object.values(fenced))).toEqual(
        new Set(['TRANSACTIONAL_ID_AUTHORIZATION_FAILED']),
      )
      const { [ownKeys]: readOfItsOwn, ...readOfTheOther } = read
      expect(readOfItsOwn).toEqual(expect.arrayContaining([expect.anything()]))
      expect(Object.keys(readOfTheOther)).toEqual(topicsOf(other))
      expect(new Set(Object.values(readOfTheOther))).toEqual(
        new Set(['TOPIC_AUTHORIZATION_FAILED']),
      )
    }
}, 240_000)

const topicsOf = ({ prefix }: Weir): string[] =>
  ['acme.clicks', 'acme.clicks-1', 'acme.clicks-1.dead', 'weir.control', 'weir.keys'].map(
    (topic) => prefix + topic,
  )

const podOf = (name: Name, service: ServiceName): Pod => ({
  kekLines: '',
  login: stack.clientOf(userOf(name, service)),
})

test('every topic and every ACL of a principal of theirs stands under their prefix, none with *', async () => {
  const acls = createAcls(stack.reader.kafka)
  const found = (await acls.list()).filter(({ operation }) => operation !== 'all')
  await acls.close()
  const of = (one: string) => found.filter(({ principal }) => principal === `User:${one}`)
  for (const name of ['outer', 'inner'] as const)
    for (const service of ['ingest', 'output'] as const) {
      const names = of(userOf(name, service)).map((acl) => acl.name)
      expect(names.length).toBeGreaterThan(5)
      expect(names.filter((one) => !one.startsWith(prefixes[name]))).toEqual([])
    }
  const analyst = of(inner.derived.clientId).map((acl) => `${acl.resource} ${acl.name}`)
  expect(analyst.toSorted()).toEqual([
    `group a.b.${inner.derived.clientId}`,
    'topic a.b.acme.clicks-1',
  ])
  expect(found.filter(({ name }) => name.includes('*') || !name.startsWith('a.'))).toEqual([])
})

test('a rotation, an erasure and a deletion in one leave the other as it is', async () => {
  const before = await stateOf(inner)

  expectStatus(await platform(outer, 'POST', '/v2/keys/rotations'), 202)
  await pollUntil(() => isRotated(outer), { deadlineMs: 60_000, what: 'the rotation' })
  const body = { keyFieldValues: ['ada'] }
  expectStatus(await outer.account.call('POST', '/v2/streams/clicks/erasures', body), 201)
  await outer.account.output('clicks', 'later', { consentLevels: [1], from: 'earliest' })
  expect(await peopleIn(outer, 'acme.later', 2)).toEqual(['sealed', 'eve'])
  expectStatus(await outer.account.call('DELETE', '/v2/streams/clicks?recursive=true'), 200)
  const isGone = async () => !(await outer.reader.admin.topics.exists(outer.input.topic))
  await pollUntil(isGone, { deadlineMs: 60_000, everyMs: 200, what: 'the deletion' })

  expect(await stateOf(inner)).toEqual(before)
  await send(inner, 'ada')
  await inner.account.output('clicks', 'later', { consentLevels: [1], from: 'earliest' })
  expect(await peopleIn(inner, inner.derived.topic, 2)).toEqual(['ada', 'ada'])
  expect(await peopleIn(inner, 'acme.later', 2)).toEqual(['ada', 'ada'])
}, 240_000)

const platform = ({ world }: Weir, method: string, path: string) =>
  request(world.auth.url, setting('PLATFORM_KEY'), method, path)

async function isRotated(weir: Weir): Promise<boolean> {
  const rotation = expectStatus(await platform(weir, 'GET', '/v2/keys'), 200).body['rotation']
  return JSON.stringify(rotation).includes('"finishedAt":"')
}

/** Returns the content of the installation's control topics, and responses of its API. */
async function stateOf(weir: Weir) {
  const keysOf = async (topic: string) =>
    (await weir.reader.read(topic)).map(({ key, offset }) => `${String(key)} ${offset}`)
  const shown = async (path: string) => expectStatus(await weir.account.call('GET', path), 200).text
  return {
    keys: await keysOf('weir.keys'),
    streams: await shown('/v2/streams'),
    erasures: await shown('/v2/streams/clicks/erasures'),
    rotation: expectStatus(await platform(weir, 'GET', '/v2/keys'), 200).body['rotation'],
  }
}
