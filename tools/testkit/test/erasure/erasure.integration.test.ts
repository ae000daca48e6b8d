// Erasure, end to end. All events are derived into new outputs before and after the erasure. Several people have events
// of two contracts in two eras. The first services have clocks in a past era.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventTimeOf } from '@weir/contracts'
import type { SourceRecord } from '@weir/kafka'

import { eraAt } from '@weir/fieldcrypt'
import {
  account as accountAt,
  asObject,
  signUp,
  exampleEvent,
  expectStatus,
  freshName,
} from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { counterOf } from '../../src/world/metrics.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { inLastEra } from '../../src/world/shifted-clock.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const people = ['ada', 'bob', 'eve'] as const
type Name = (typeof people)[number]
const contracts = ['clickstream', 'demo_v1'] as const
type ContractName = (typeof contracts)[number]
/** The number of personal fields in both contracts together, with key fields. */
const fieldsOfBoth = 5
const inputName = 'events'

let own: OwnNames
let world: World
let account: Account
let input: TestStream
let sent = 0

beforeAll(async () => {
  own = await openOwnNames('erasure')
  const past = await own.startWorld(inLastEra())
  try {
    account = await signUp(past.auth.url)
    for (const name of contracts) await account.contract(name)
    input = await account.input(inputName)
    await own.keepForEver(input)
    await sendRounds(past, 2)
  } finally {
    await past.stop()
  }
  world = await own.startWorld()
  account = accountAt(world.auth.url, account.billingId, account.apiKey)
  await sendRounds(world, 2)
}, 180_000)

afterAll(async () => {
  await own?.close()
})

// --- events ---

/** Creates an event that names its person in a field that isn't personal. */
async function eventOf(contract: ContractName, name: Name) {
  const example = await exampleEvent(contract)
  const svcMeta = { ...asObject(example['svcMeta']), consentLevels: [0, 1, 2, 3] }
  return contract === 'clickstream'
    ? {
        ...example,
        svcMeta,
        producerSessionId: name,
        referrer: name,
        customer: { id: `${name} 0` },
      }
    : {
        ...example,
        svcMeta,
        consistent_value: name,
        unique_identifier: { string: `${name} 1` },
        some_sensitive_value: { string: `${name} 3` },
        not_sensitive_value: { string: name },
      }
}

async function sendRounds(
  { auth, ingest }: World,
  rounds: number,
  of: readonly Name[] = people,
): Promise<void> {
  const token = await accountAt(auth.url, account.billingId, account.apiKey).token(input)
  const producer = await connectProducer(ingest.url)
  for (let round = 0; round < rounds; round++)
    for (const schemaId of contracts)
      for (const name of of) {
        const { status } = await producer.send(await eventOf(schemaId, name), { token, schemaId })
        expect(status).toBe(204)
        sent += 1
      }
  producer.close()
}

type Replayed = {
  readonly name: unknown
  readonly contract: ContractName
  readonly record: SourceRecord
  readonly plain: Record<string, unknown>
  readonly undecryptable: readonly string[]
}

const textOf = (record: SourceRecord, header: string): string =>
  record.headers[header]?.toString() ?? ''

async function replayedFrom(topic: string): Promise<Map<string, Replayed>> {
  const records = await own.reader.readUntil(topic, sent)
  const replayed = new Map<string, Replayed>()
  for (const record of records) {
    const contract = textOf(record, 'svc-schema-id') === 'demo_v1' ? 'demo_v1' : 'clickstream'
    const plain = plainEvent(await compiledExample(contract), record)
    const name = plain[contract === 'demo_v1' ? 'not_sensitive_value' : 'referrer']
    const undecryptable = textOf(record, 'svc-undecryptable').split(',').filter(Boolean).sort()
    const place = `${own.env['KAFKA_PREFIX']}${topic}/${record.partition}/${record.offset}`
    const source = textOf(record, 'svc-source') || place
    replayed.set(source, { name, contract, record, plain, undecryptable })
  }
  return replayed
}

/** Derives all events, from the first, into a new output with all levels. */
async function replay(): Promise<Map<string, Replayed>> {
  const derived = await account.output(inputName, freshName('replay'), {
    consentLevels: [3],
    from: 'earliest',
  })
  const replayed = await replayedFrom(derived.topic)
  expect(replayed.size).toBe(sent)
  expect(await own.reader.read(`${derived.topic}.dead`)).toEqual([])
  return replayed
}

async function erase(body: object): Promise<Record<string, unknown>> {
  const reply = await account.call('POST', `/v2/streams/${inputName}/erasures`, body)
  return expectStatus(reply, 201).body
}

const personalFields: Record<ContractName, string[]> = {
  clickstream: ['customer/id', 'producerSessionId'],
  demo_v1: ['consistent_value', 'some_sensitive_value', 'unique_identifier'],
}

// Each test needs the erasures of the tests before it.
describe('after an erasure', () => {
  test('a fresh replay keeps one person encrypted in all contracts and eras, and the others byte for byte as before', async () => {
    const before = await replay()
    for (const { undecryptable } of before.values()) expect(undecryptable).toEqual([])
    const times = [...before.values()].map(({ record }) => eventTimeOf(record))
    expect(new Set(times.map((ms) => eraAt(ms))).size).toBe(2)
    const counted = await counterOf(world.output, 'svc_output_undecryptable_fields_total')

    const erasure = await erase({ keyFieldValue: 'bob' })

    expect(erasure).toMatchObject({ state: 'accepted', values: 1, salt: expect.any(String) })
    const after = await replay()
    const stored = await replayedFrom(input.topic)
    const isBob = ({ name }: Replayed): boolean => name === 'bob'
    const bytes = (all: Map<string, Replayed>) =>
      [...all]
        .filter(([, one]) => !isBob(one))
        .map(([source, { record }]) => [source, record.key, record.value, record.headers])
    expect(bytes(after)).toEqual(bytes(before))
    for (const [source, { contract, plain, undecryptable }] of [...after].filter(([, one]) =>
      isBob(one),
    )) {
      expect(plain).toEqual(stored.get(source)?.plain)
      expect(undecryptable).toEqual(personalFields[contract])
    }
    const fields = (sent / people.length / contracts.length) * fieldsOfBoth
    expect(await counterOf(world.output, 'svc_output_undecryptable_fields_total')).toBe(
      counted + fields,
    )
  })

  test('events that come later are encrypted for somebody new, whom nothing connects with the old one', async () => {
    const known = new Set((await replayedFrom(input.topic)).keys())
    await sendRounds(world, 1, ['bob'])
    const replayed = await replay()
    const bobs = [...replayed].filter(([, { name }]) => name === 'bob')
    const later = bobs.filter(([source]) => !known.has(source)).map(([, one]) => one)
    const earlier = bobs.filter(([source]) => known.has(source)).map(([, one]) => one)
    expect(later.map(({ undecryptable }) => undecryptable)).toEqual([[], []])
    const keysOf = (some: readonly Replayed[]) =>
      new Set(some.map(({ record }) => record.key?.toString()))
    expect(keysOf(later).size).toBe(1)
    for (const key of keysOf(later)) expect(keysOf(earlier)).not.toContain(key)
  })
})

test('a consent that is withdrawn for level 2 leaves levels 0, 1 and 3 readable in past events, and level 2 not', async () => {
  const erasure = await erase({ keyFieldValue: 'eve', levels: [2] })
  expect(erasure).toMatchObject({ levels: [2] })
  const eves = [...(await replay()).values()].filter(({ name }) => name === 'eve')
  const readable = {
    clickstream: { producerSessionId: 'eve', customer: { id: 'eve 0' } },
    demo_v1: { unique_identifier: 'eve 1' },
  }
  const sealed = { clickstream: [], demo_v1: ['consistent_value'] }
  expect(eves).toHaveLength(8)
  for (const { contract, plain, undecryptable } of eves) {
    expect(plain).toMatchObject(readable[contract])
    expect(undecryptable).toEqual(sealed[contract])
  }
})
