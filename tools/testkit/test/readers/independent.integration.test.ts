// A Python program, written from docs/keys.md, decrypts a live input topic. After an erasure and a withdrawal it
// decrypts exactly the permitted fields.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unframe } from '@weir/schema-registry'
import {
  asObject,
  connectProducer,
  createTopicReader,
  exampleContract,
  exampleEvent,
  expectStatus,
  joinWorld,
  kafkaBrokers,
  signUp,
} from '@weir/testkit'
import type { Account, SharedWorld, TestStream, TopicReader } from '@weir/testkit'
import { kekFileOf } from '../../src/world/services.ts'
import { runPython } from './run-python.ts'

let world: SharedWorld
let account: Account
let topics: TopicReader
let input: TestStream
const people = ['anna', 'bert', 'cleo', 'dora'].map((name) => `session-${name}`)

beforeAll(async () => {
  world = await joinWorld()
  account = await signUp(world.auth.url)
  topics = createTopicReader()
  await account.contract('clickstream')
  input = await account.input('clicks')
  const example = await exampleEvent('clickstream')
  const { send, close } = await connectProducer(world.ingest.url)
  const token = await account.token(input)
  for (const [nth, producerSessionId] of people.entries()) {
    const svcMeta = { ...asObject(example['svcMeta']), consentLevels: [0, nth, 200] }
    const event = { ...example, producerSessionId, svcMeta }
    await send(event, { token, schemaId: 'clickstream' })
  }
  close()
  await topics.readUntil(input.topic, people.length)
}, 120_000)
afterAll(async () => {
  await topics?.close()
  await world?.stop()
})

async function decrypted(): Promise<unknown[]> {
  const [record] = await topics.read(input.topic)
  const { schemaId } = unframe(record?.value ?? Buffer.alloc(0))
  const { schema, pii_fields: fields } = await exampleContract('clickstream')
  const lines = runPython('decrypt_topic.py', {
    kafka: { 'bootstrap.servers': kafkaBrokers().join(',') },
    topic: input.topic,
    kekFile: kekFileOf('output'),
    schemas: { [schemaId]: asObject(schema)['definition'] },
    fields,
  })
  return lines.toSorted((a, b) => text(a).localeCompare(text(b)))
}

async function erase(body: object): Promise<void> {
  expectStatus(await account.call('POST', '/v2/streams/clicks/erasures', body), 201)
}

const text = (line: unknown): string => JSON.stringify(line)

const opened = (producerSessionId: string, id = 'customer-00042') => ({
  'customer/id': id,
  producerSessionId,
})

test('every field of the topic is decrypted', async () => {
  expect(await decrypted()).toEqual(people.map((person) => opened(person)))
})

test('after an erasure and a withdrawal exactly the other fields are', async () => {
  const [anna = '', bert = '', ...others] = people
  await erase({ keyFieldValue: anna })
  await erase({ keyFieldValue: bert, levels: [0] })
  const expected = [
    ...others.map((person) => opened(person)),
    opened('erased', 'erased'),
    opened(bert, 'erased'),
  ]
  expect(await decrypted()).toEqual(expected.toSorted((a, b) => text(a).localeCompare(text(b))))
})

test('so they are when so many are erased that the tree has several key records', async () => {
  const before = await decrypted()
  const treeRecords = async () => {
    const keys = (await topics.read('weir.keys')).map(({ key }) => String(key))
    return new Set(
      keys.filter((key) => key.startsWith(`${account.billingId}/`) && key.includes('/tree.')),
    )
  }
  expect((await treeRecords()).size).toBe(0)
  const keyFieldValues = Array.from({ length: 40 }, (_, nth) => `session of leaver ${nth}`)
  await erase({ keyFieldValues, evenIfNoneFound: true })
  expect((await treeRecords()).size).toBeGreaterThan(3)
  expect(await decrypted()).toEqual(before)
})
