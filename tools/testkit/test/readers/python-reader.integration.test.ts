// Python reads an output whose readers decrypt, with confluent-kafka, fastavro and the module of clients/python. Tink
// decrypts with a key from `POST /v2/keys`.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import {
  asObject,
  connectProducer,
  createTopicReader,
  exampleEvent,
  expectStatus,
  joinWorld,
  kafkaBrokers,
  request,
  signUp,
} from '@weir/testkit'
import type { Account, SharedWorld, TestStream, TopicReader } from '@weir/testkit'
import { runPython } from './run-python.ts'

const soon = { deadlineMs: 60_000, everyMs: 200 }

let world: SharedWorld
let account: Account
let topics: TopicReader
let lake: TestStream
let narrow: TestStream
let rows: readonly Record<string, unknown>[]

beforeAll(async () => {
  world = await joinWorld()
  account = await signUp(world.auth.url)
  topics = createTopicReader()
  await account.contract('clickstream')
  const input = await account.input('clicks')
  lake = await account.output('clicks', 'lake', { consentLevels: [1], decryptAt: 'reader' })
  narrow = await account.output('clicks', 'narrow', { consentLevels: [0], decryptAt: 'reader' })
  const example = await exampleEvent('clickstream')
  const svcMeta = { ...asObject(example['svcMeta']), consentLevels: [0, 1] }
  const { send, close } = await connectProducer(world.ingest.url)
  const token = await account.token(input)
  for (const producerSessionId of ['session-anna', 'session-bert', 'session-cleo'])
    await send({ ...example, producerSessionId, svcMeta }, { token, schemaId: 'clickstream' })
  close()
  await topics.readUntil(lake.topic, 3)
}, 120_000)
afterAll(async () => {
  await topics?.close()
  await world?.stop()
})

const optionsOf = ({ clientId, clientSecret }: TestStream) => ({
  auth_url: world.auth.url,
  output_url: world.output.url,
  billing_id: account.billingId,
  client_id: clientId,
  client_secret: clientSecret,
})

const eventsIn = (line: unknown): Record<string, unknown>[] =>
  Array.isArray(line) ? line.map(asObject) : []

const readTopic = (): Record<string, unknown>[][] =>
  runPython('read_lake.py', {
    options: optionsOf(lake),
    kafka: { 'bootstrap.servers': kafkaBrokers().join(','), 'group.id': lake.clientId },
    topic: lake.topic,
  }).map(eventsIn)

const readRows = (stream = lake): unknown =>
  runPython('read_lake.py', { options: optionsOf(stream), rows })[0]

const sessionsIn = (events: readonly Record<string, unknown>[]): Set<unknown> =>
  new Set(events.map((event) => event['producerSessionId']))

test('the topic is decrypted up to the level of the output, and rows that were stored as they were, too', () => {
  const [decrypted = [], stored = []] = readTopic()
  rows = stored
  expect(sessionsIn(decrypted)).toEqual(new Set(['session-anna', 'session-bert', 'session-cleo']))
  for (const { customer } of decrypted) expect(asObject(customer)['id']).toBe('customer-00042')
  for (const session of sessionsIn(stored)) expect(session).toMatch(/^A/)
  expect(sessionsIn(eventsIn(readRows()))).toEqual(sessionsIn(decrypted))
})

test('with the credentials of an output of a lower level, the fields above it stay encrypted', () => {
  for (const { customer, producerSessionId } of eventsIn(readRows(narrow)))
    expect([customer, producerSessionId]).toEqual([
      { id: 'customer-00042' },
      { encrypted: 'no_key' },
    ])
})

test('a key of POST /v2/keys decrypts the field in Tink', async () => {
  const [row = {}] = rows
  const { timestamp, consentLevels } = asObject(row['svcMeta'])
  const keyLink = String(row['svc_key_link'])
  const token = await account.token(lake)
  const persons = [{ keyLink, timestamp, consentLevels }]
  const asked = await request(world.output.url, token, 'POST', '/v2/keys', { persons })
  const { body } = expectStatus(asked, 200)
  const [answer] = eventsIn(body['persons'])
  const sivKey = Buffer.from(String(asObject(answer?.['keys'])['1']), 'base64')
  const keyId = Buffer.from(keyLink.slice(0, 8), 'hex').readUInt32BE()
  // The protobuf message AesSivKey: its field 2 is the key of 64 bytes.
  const value = Buffer.concat([Buffer.of(0x12, sivKey.length), sivKey]).toString('base64')
  const typeUrl = 'type.googleapis.com/google.crypto.tink.AesSivKey'
  const keyData = { typeUrl, value, keyMaterialType: 'SYMMETRIC' }
  const key = { keyData, status: 'ENABLED', keyId, outputPrefixType: 'TINK' }
  const fields = [{ path: 'producerSessionId', text: row['producerSessionId'] }]
  const script = '../../../../packages/fieldcrypt/test/open_with_tink.py'
  const [opened] = runPython(script, { keyset: { primaryKeyId: keyId, key: [key] }, fields })
  expect(JSON.stringify(opened)).toContain('session-')
})

test('who is erased cannot be read any more, in the topic and in rows that were stored before', async () => {
  const erasing = { keyFieldValue: 'session-anna' }
  expectStatus(await account.call('POST', '/v2/streams/clicks/erasures', erasing), 201)
  const erased = { encrypted: 'erased' }
  await pollUntil(() => sessionsIn(readTopic()[0] ?? []).has('session-anna') === false, soon)
  const left = [erased, 'session-bert', 'session-cleo']
  const sessions = (events: unknown) =>
    eventsIn(events)
      .map((event) => event['producerSessionId'])
      .toSorted((a, b) => String(a).localeCompare(String(b)))
  expect(sessions(readTopic()[0])).toEqual(left)
  expect(sessions(readRows())).toEqual(left)
})

test('a refusal is told with the sentence of the service', async () => {
  const plain = await account.output('clicks', 'plain', { consentLevels: [0] })
  expect(readRows(plain)).toEqual({
    code: 'refused',
    message: expect.stringContaining('decryptAt reader'),
  })
  expect(readRows({ ...lake, clientSecret: 'wrong' })).toMatchObject({ code: 'refused' })
})

test.each([
  ['output', 'auth', 405],
  ['output', 'ingest', 404],
  ['auth', 'output', 404],
  ['auth', 'ingest', 404],
] as const)('the option for %s is named if it has the address of %s', (wanted, given, status) => {
  const { url } = world[given]
  const options = { ...optionsOf(lake), [`${wanted}_url`]: url }
  expect(runPython('read_lake.py', { options, rows })[0]).toEqual({
    code: 'refused',
    message: `${wanted}_url ${url} is not the address of ${wanted}: it returns ${status}`,
  })
})

test('what is not an event is refused with what an event needs', () => {
  for (const wrong of [['a text'], [{ url: 'x' }], { url: 'x' }])
    expect(runPython('read_lake.py', { options: optionsOf(lake), rows: wrong })[0]).toEqual({
      code: 'unreadable',
      message: expect.stringContaining('is without its keyLink'),
    })
  const flat = [{ svc_key_link: 'x', 'svcMeta.timestamp': '1', 'svcMeta.consentLevels': '[0]' }]
  expect(runPython('read_lake.py', { options: optionsOf(lake), rows: flat })[0]).toEqual({
    code: 'unreadable',
    message: expect.stringContaining('flatten them afterwards'),
  })
  const file = { options: optionsOf(lake), rows: 'lake.parquet' }
  expect(runPython('read_lake.py', file)).toEqual([
    "give a list of dicts: frame.to_dict('records')",
  ])
})

test('a key is used as long as it may be, and no longer', () => {
  expect(runPython('ages.py')).toEqual(['right'])
})
