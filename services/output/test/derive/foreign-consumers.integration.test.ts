// Ordinary Kafka clients read a derived stream, with schemas from auth's /registry and no code of Weir
// (docs/wire-format.md Kafka, examples/analysts).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'
import { createTransactor } from '@weir/kafka'
import { frame } from '@weir/schema-registry'
import { AppError } from '@weir/kit'
import { plainEvent } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { readWithKcat, readWithPython } from '../support/foreign.ts'
import type { KcatRecord, SchemaLogin } from '../support/foreign.ts'
import { makeEvents } from '../support/many-events.ts'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'
import { sendAll } from '../support/send-all.ts'
import { contractNamed, stored } from '../support/stored-events.ts'
import type { Stored } from '../support/stored-events.ts'

let scene: Scene
let input: TestStream
let derived: TestStream
let expected: Stored[]

beforeAll(async () => {
  scene = await openScene()
  await scene.account.contracts()
  input = await scene.account.input('events')
  derived = await scene.output('events', 'analysts', { consentLevels: [2] })
  const how = { ingestUrl: scene.world.ingest.url, connections: 1, streams: 100 }
  await sendAll(makeEvents(400, 100, 7), { ...how, token: await scene.tokenOf(input) })
  await scene.untilDerived(input, 'analysts')
  await abortOne(derived.topic)
  expected = (await scene.topics.read(derived.topic)).map(stored)
})

afterAll(() => scene.close(), 30_000)

test('there is something to read', () => {
  expect(expected.length).toBeGreaterThan(100)
})

/** Writes a record in a transaction and aborts it. No reader may ever see the record. */
async function abortOne(topic: string): Promise<void> {
  const transactor = createTransactor(scene.topics.kafka, {
    transactionalId: `test.${topic}`,
    timeoutMs: 10_000,
  })
  await transactor.fence()
  const undone = new AppError('undone', 'undone on purpose')
  const aborting = transactor.transaction(async ({ send }) => {
    await send([{ topic, partition: 0, key: 'aborted', value: frame(1, Buffer.from('aborted')) }])
    throw undone
  })
  await aborting.catch((error: unknown) => {
    if (error !== undone) throw error
  })
  await transactor.close()
}

describe('kcat', () => {
  test('reads every derived record: key, time, headers and framed value', async () => {
    const seen = (await readWithKcat(derived.topic)).map(lineOf)
    const lines = expected.map(({ place, key, record: { headers, value } }) =>
      lineOf({
        place,
        key,
        schemaId: headers['svc-schema-id']?.toString() ?? '',
        keyLinkShown: upToZero(headers['svc-key-link'] ?? nothing),
        eventTimeMs: Number(headers['svc-time']?.toString()),
        source: headers['svc-source']?.toString() ?? '',
        value: value ?? nothing,
      }),
    )
    expect(seen.toSorted(byText)).toEqual(lines.toSorted(byText))
  })
})

describe('Confluent’s Python client with its AvroDeserializer', () => {
  test('reads every event with the schemas of /registry, opened and sealed fields alike', async () => {
    const printed = await readWithPython(derived.topic, schemaLogin())
    const events = new Map(printed.map(({ source, event }) => [source, event]))
    expect(printed).toHaveLength(expected.length)
    for (const { record, contract } of expected) {
      const source = record.headers['svc-source']?.toString() ?? ''
      expect(events.get(source)).toEqual(plainEvent(contractNamed(contract), record))
    }
  })

  test('reads the encrypted events of an input stream, each with its own place', async () => {
    const printed = await readWithPython(input.topic, schemaLogin(input))
    const events = new Map(printed.map(({ source, event }) => [source, event]))
    const records = (await scene.topics.read(input.topic)).map(stored)
    expect(records.length).toBeGreaterThan(expected.length)
    expect(printed).toHaveLength(records.length)
    for (const { record, contract, place } of records)
      expect(events.get(`${input.topic}/${place}`)).toEqual(
        plainEvent(contractNamed(contract), record),
      )
  })
})

describe('the registry client for Node, @kafkajs/confluent-schema-registry', () => {
  test('decodes every event with the schemas of /registry', async () => {
    const { url, clientId, clientSecret } = schemaLogin()
    const auth = { username: clientId, password: clientSecret }
    const registry = new SchemaRegistry({ host: url, auth })
    for (const { record, contract } of expected)
      expect(await registry.decode(record.value ?? nothing)).toEqual(
        plainEvent(contractNamed(contract), record),
      )
    await expect(
      new SchemaRegistry({ host: url, auth: { ...auth, password: 'wrong' } }).decode(
        expected[0]?.record.value ?? nothing,
      ),
    ).rejects.toThrow(/wrong, expired or revoked/)
  })
})

const schemaLogin = ({ clientId, clientSecret } = derived): SchemaLogin => ({
  url: `${scene.world.auth.url}/registry`,
  clientId,
  clientSecret,
})

const nothing = Buffer.alloc(0)

const upToZero = (bytes: Buffer): Buffer =>
  bytes.includes(0) ? bytes.subarray(0, bytes.indexOf(0)) : bytes

/** Returns the whole record as one line. */
const lineOf = ({ keyLinkShown, value, ...texts }: KcatRecord): string =>
  [...Object.values(texts), keyLinkShown.toString('hex'), value.toString('hex')].join(' ')

const byText = (a: string, b: string): number => (a < b ? -1 : 1)
