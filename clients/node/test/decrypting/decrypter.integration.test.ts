// Which values `createDecrypter` decrypts in an output with `decryptAt: reader`, with real services.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Type } from 'avsc'
import { pollUntil } from '@weir/kit'
import {
  asObject,
  connectProducer,
  createTopicReader,
  exampleContract,
  exampleEvent,
  joinWorld,
  signUp,
} from '@weir/testkit'
import type { Account, SharedWorld, TestStream, TopicReader } from '@weir/testkit'
import { createDecrypter, Encrypted } from '../../src/index.ts'
import type { CredentialsOptions, EncryptedEvent } from '../../src/index.ts'

let world: SharedWorld
let account: Account
let topics: TopicReader
let lake: TestStream
let events: readonly EncryptedEvent[]
const soon = { deadlineMs: 60_000, everyMs: 100 }

type Options = CredentialsOptions & { readonly outputUrl: string }
const optionsOf = ({ clientId, clientSecret }: TestStream): Options => ({
  authUrl: world.auth.url,
  outputUrl: world.output.url,
  billingId: account.billingId,
  clientId,
  clientSecret,
})

beforeAll(async () => {
  world = await joinWorld()
  account = await signUp(world.auth.url)
  topics = createTopicReader()
  await account.contract('demo_v1')
  const input = await account.input('in')
  lake = await account.output('in', 'lake', { consentLevels: [2], decryptAt: 'reader' })
  const example = await exampleEvent('demo_v1')
  const { send, close } = await connectProducer(world.ingest.url)
  const token = await account.token(input)
  for (const person of ['anna', 'bert']) {
    const event = {
      ...example,
      unique_identifier: { string: `u-${person}` },
      consistent_value: person,
      some_sensitive_value: { string: `s-${person}` },
      svcMeta: { ...asObject(example['svcMeta']), consentLevels: [0, 1, 2] },
    }
    await send(event, { token, schemaId: 'demo_v1' })
  }
  close()
  const { schema } = await exampleContract('demo_v1')
  const type = Type.forSchema(
    asObject(schema)['definition'] as Parameters<typeof Type.forSchema>[0],
  )
  const records = await topics.readUntil(lake.topic, 2)
  events = records.map(({ headers, value }) => ({
    headers,
    event: type.fromBuffer(value?.subarray(5) ?? Buffer.alloc(0)),
  }))
})
afterAll(async () => {
  await topics?.close()
  await world?.stop()
})

const personOf = (event: unknown): unknown => asObject(event)['consistent_value']

test('fields up to the level of the output are decrypted, the others are Encrypted', async () => {
  const decrypted = await createDecrypter(optionsOf(lake)).decrypt(events)
  expect(new Set(decrypted.map(personOf))).toEqual(new Set(['anna', 'bert']))
  for (const event of decrypted.map(asObject)) {
    expect(event['unique_identifier']).toBe(`u-${String(event['consistent_value'])}`)
    expect(event['some_sensitive_value']).toBeInstanceOf(Encrypted)
    expect(event['some_sensitive_value']).toMatchObject({ reason: 'no_key' })
    expect(JSON.parse(JSON.stringify(event))).toMatchObject({
      some_sensitive_value: expect.stringMatching(/^A/),
    })
  }
  for (const { event } of events) expect(personOf(event)).toMatch(/^A/) // the originals are not changed
})

test('who is erased is Encrypted in the same events, for a reader without earlier keys', async () => {
  await account.call('POST', '/v2/streams/in/erasures', { keyFieldValue: 'anna' })
  const read = (): Promise<unknown[]> => createDecrypter(optionsOf(lake)).decrypt(events)
  const erased = await pollUntil(async () => {
    const people = (await read()).map(personOf)
    return people.find((person) => person instanceof Encrypted)
  }, soon)
  expect(erased).toMatchObject({ reason: 'erased' })
  expect((await read()).map(personOf)).toContain('bert')
})

test('an event of another stream is unknown, and one without its headers is refused', async () => {
  const decrypter = createDecrypter(optionsOf(lake))
  const [{ headers, event } = { headers: {}, event: {} }] = events
  await expect(decrypter.decrypt([{ headers: {}, event }])).rejects.toMatchObject({
    name: 'ReadError',
    code: 'unreadable',
  })
  const keyLink = Buffer.alloc(16, 7)
  const text = Buffer.concat([Buffer.of(1), keyLink.subarray(0, 4), Buffer.alloc(20)])
  const foreign = {
    headers: { ...headers, 'svc-key-link': keyLink },
    event: { svcMeta: { consentLevels: [2] }, name: text.toString('base64') },
  }
  const [decrypted] = await decrypter.decrypt([foreign])
  expect(asObject(decrypted)['name']).toMatchObject({ reason: 'unknown' })
})

test('credentials of another kind of output are refused, with the sentence of output', async () => {
  const plain = await account.output('in', 'plain', { consentLevels: [2] })
  await expect(createDecrypter(optionsOf(plain)).decrypt(events)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('decryptAt reader'),
  })
  await expect(
    createDecrypter({ ...optionsOf(lake), clientSecret: 'wrong' }).decrypt(events),
  ).rejects.toMatchObject({ code: 'refused' })
})

test.each([
  ['auth', 405],
  ['ingest', 404],
] as const)(
  'the address of %s as that of output is named with its option',
  async (service, status) => {
    const options = { ...optionsOf(lake), outputUrl: world[service].url }
    await expect(createDecrypter(options).decrypt(events)).rejects.toMatchObject({
      code: 'refused',
      message: `outputUrl ${world[service].url} is not the address of output: it returns ${status}`,
    })
  },
)

test.each(['output', 'ingest'] as const)(
  'the address of %s as that of auth is named with its option',
  async (service) => {
    const options = { ...optionsOf(lake), authUrl: world[service].url }
    await expect(createDecrypter(options).decrypt(events)).rejects.toMatchObject({
      code: 'refused',
      message: `authUrl ${world[service].url} is not the address of auth: it returns 404`,
    })
  },
)

test('a misspelt option is named', () => {
  const options = { ...optionsOf(lake), outputURL: 'http://127.0.0.1:1' }
  expect(() => createDecrypter(options)).toThrow('Did you mean outputUrl?')
})
