// The data around an event's own fields, on the WebSocket and in Kafka (spec Events 2, Envelope; docs/wire-format.md
// Kafka), and the rights of a derived stream's token (spec Authentication 3).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventTimeOf } from '@weir/contracts'
import type { SourceRecord } from '@weir/kafka'
import {
  asObject,
  compiledExample,
  connectProducer,
  exampleContracts,
  exampleEvent,
  plainEvent,
} from '@weir/testkit'
import type { ExampleContract, TestListener, TestStream } from '@weir/testkit'
import { readOrigin } from '../../src/records/headers.ts'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const contracts = Object.values(exampleContracts)
const schemaIdOf = (contract: ExampleContract) =>
  contract === 'demo_event' ? 'demo/event/1.0.0' : contract

let scene: Scene
let input: TestStream
let derived: TestStream
let shownIn: Record<'input' | 'derived', TestListener>
let sentBetween: [number, number]

type Seen = { shown: Record<string, unknown>; record: SourceRecord; plain: Record<string, unknown> }
const seenOf = new Map<string, Seen>()

beforeAll(async () => {
  scene = await openScene()
  await scene.account.contracts()
  input = await scene.account.input('events')
  derived = await scene.output('events', 'all', { consentLevels: [0] })
  shownIn = { input: await scene.watch(input), derived: await scene.watch(derived) }
  const before = Date.now()
  for (const contract of contracts)
    await scene.send(input, schemaIdOf(contract), await exampleEvent(contract))
  sentBetween = [before, Date.now()]
  for (const [where, stream] of Object.entries({ input, derived })) await collect(where, stream)
})

afterAll(() => scene.close(), 30_000)

/** Collects each event of a stream from its WebSocket and its topic. */
async function collect(where: string, { topic }: TestStream): Promise<void> {
  const events = where === 'input' ? shownIn.input : shownIn.derived
  const shown = await events.until(contracts.length)
  for (const record of await scene.topics.readUntil(topic, contracts.length)) {
    const id = record.headers['svc-schema-id']?.toString() ?? ''
    const contract = contracts.find((each) => schemaIdOf(each) === id) ?? 'clickstream'
    const plain = plainEvent(await compiledExample(contract), record)
    const { nonce } = asObject(plain['svcMeta'])
    const onSocket = shown.find((event) => asObject(event['svcMeta'])['nonce'] === nonce) ?? {}
    seenOf.set(`${where} ${contract}`, { shown: onSocket, record, plain })
  }
}

function seen(where: 'input' | 'derived', contract: ExampleContract): Seen {
  const found = seenOf.get(`${where} ${contract}`)
  if (found === undefined) throw new Error(`there is no ${contract} event in the ${where} stream`)
  return found
}

/** Expects a UUID if the keyLink of the contract is a string, and a number if it is an int. */
const keyLinkForm = (contract: ExampleContract): unknown =>
  contract === 'demo_event' ? expect.stringMatching(uuid) : expect.any(Number)

const metaOf = ({ plain }: Seen) => asObject(plain['svcMeta'])

describe.each(contracts)('an event of %s', (contract) => {
  test('has its envelope filled in where the producer sent placeholders', async () => {
    const meta = metaOf(seen('input', contract))
    const { consentLevels } = asObject((await exampleEvent(contract))['svcMeta'])
    const idMember = contract === 'demo_event' ? 'eventContractRef' : 'schemaId'
    expect(meta).toEqual({
      [idMember]: schemaIdOf(contract),
      nonce: expect.any(Number),
      timestamp: expect.any(Number),
      keyLink: keyLinkForm(contract),
      billingId: scene.account.billingId,
      consentLevels,
    })
    expect(meta['timestamp']).toBeGreaterThanOrEqual(sentBetween[0])
    expect(meta['timestamp']).toBeLessThanOrEqual(sentBetween[1])
  })

  test('has the same envelope in the derived stream', () => {
    expect(metaOf(seen('derived', contract))).toEqual(metaOf(seen('input', contract)))
  })

  test.each(['input', 'derived'] as const)(
    'is shown on the WebSocket as it lies in the %s topic',
    (where) => {
      const { shown, plain } = seen(where, contract)
      expect(shown).toEqual(plain)
      expect(Object.keys(shown)[0]).toBe('svcMeta')
    },
  )

  test('its record is keyed by the keyLink, and has the event’s own time', () => {
    for (const where of ['input', 'derived'] as const) {
      const each = seen(where, contract)
      const { record } = each
      const keyLink = record.headers['svc-key-link'] ?? Buffer.alloc(0)
      const [text, int] = [record.key?.toString() ?? '', keyLink.readUInt32BE(0) & 0x7fffffff]
      expect(text).toMatch(uuid)
      expect(keyLink.toString('hex')).toBe(text.replaceAll('-', ''))
      expect(metaOf(each)['keyLink']).toBe(contract === 'demo_event' ? text : int)
      expect(eventTimeOf(record)).toBe(metaOf(each)['timestamp'])
    }
  })

  test('its derived record names its source, and has no other header besides contract, keyLink and time', () => {
    const [own, from] = [seen('derived', contract).record, seen('input', contract).record]
    expect(Object.keys(from.headers).sort()).toEqual(['svc-key-link', 'svc-schema-id'])
    expect(Object.keys(own.headers).sort()).toEqual([
      'svc-key-link',
      'svc-schema-id',
      'svc-source',
      'svc-time',
    ])
    expect(readOrigin(own)).toEqual({
      topic: input.topic,
      partition: from.partition,
      offset: from.offset,
    })
    expect(own.partition).toBe(from.partition)
    expect(own.key).toEqual(from.key)
  })
})

test('nonces differ', () => {
  const nonces = contracts.map((contract) => metaOf(seen('input', contract))['nonce'])
  expect(new Set(nonces).size).toBe(contracts.length)
})

test('one key field value is one keyLink in every contract of the stream', () => {
  const links = contracts.map((contract) => seen('input', contract).record.key?.toString())
  expect(new Set(links).size).toBe(1) // all examples have «session-0001»
})

describe('a derived stream’s token', () => {
  test('sends nothing: 403 not_an_input_stream', async () => {
    const producer = await connectProducer(scene.world.ingest.url)
    const answer = await producer.send(await exampleEvent('clickstream'), {
      token: await scene.tokenOf(derived),
      schemaId: 'clickstream',
    })
    producer.close()
    expect([answer.status, answer.headers['svc-error']]).toEqual([403, 'not_an_input_stream'])
  })

  test('shows the derived stream alone, and nothing of its input', async () => {
    const without = { ...(await exampleEvent('demo_v1')) }
    const svcMeta = { ...asObject(without['svcMeta']), consentLevels: [] }
    await scene.send(input, 'demo_v1', { ...without, svcMeta })
    await scene.send(input, 'demo_v1', without)
    const inInput = await shownIn.input.until(contracts.length + 2)
    const inDerived = await shownIn.derived.until(contracts.length + 1)
    expect(inInput.map(consentOf)).toContainEqual([])
    expect(inDerived.map(consentOf)).not.toContainEqual([])
  })
})

const consentOf = (event: Record<string, unknown>): unknown =>
  asObject(event['svcMeta'])['consentLevels']
