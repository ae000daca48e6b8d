// Every process is killed at the same time, under load: services, broker, registry and their watchers. All acknowledged
// events exist after a restart on the same folder. (A SIGKILL doesn't lose the page cache. Only replication protects
// against a power failure.)
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Contract } from '@weir/contracts'
import { makeKekFiles, startStack } from '@weir/devstack'
import type { Stack } from '@weir/devstack'
import type { SourceRecord } from '@weir/kafka'
import { delay, pollUntil } from '@weir/kit'

import { seededNumbers } from '../../src/random.ts'
import { scale } from '../../src/scale.ts'
import {
  account as accountAt,
  signUp,
  exampleEvent,
  expectStatus,
  freshName,
  textIn,
} from '../../src/world/account.ts'
import type { Account, Credentials, TestStream } from '../../src/world/account.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { startWorld } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, createTopicReader, plainEvent } from '../../src/world/topic.ts'
import type { TopicReader } from '../../src/world/topic.ts'

const schemaId = 'demo_v1'
const CONNECTIONS = 4
const SENDS_AT_ONCE = 8

let folder: string
let running: { stack: Stack; world: World; reader: TopicReader; account: Account }
let contract: Contract
let example: Record<string, unknown>

/** `mark` is in a field that isn't encrypted. `status` is that of the response. */
type Sent = { mark: string; person: string; consentLevels: number[]; status: number | undefined }
const sent = new Map<string, Sent>()
const made: TestStream[] = []
const revoked: Credentials[] = []
const tokens: string[] = []
let input: TestStream
let derived: { stream: TestStream; level: number }[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-kill-'))
  await makeKekFiles(folder)
  contract = await compiledExample(schemaId)
  example = await exampleEvent(schemaId)
  running = await startEverything()
  const { account } = running
  await account.contract(schemaId)
  input = await account.input('events')
  derived = []
  for (const level of [1, 2]) {
    const stream = await account.output('events', `events-${level}`, { consentLevels: [level] })
    derived.push({ stream, level })
  }
  tokens.push(await account.token(input))
}, 180_000)

afterAll(async () => {
  await running?.reader.close()
  await running?.world.stop()
  await running?.stack.stop()
  await rm(folder, { recursive: true, force: true })
})

async function startEverything(): Promise<typeof running> {
  const stack = await startStack({ folder, ports: 'free' })
  const world = await startWorld({
    KAFKA_BROKERS: stack.kafkaBrokers,
    SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
    KEK_FOLDER: folder,
    AUTH_PUBLIC_URL: 'http://auth.test', // tokens from before the kill have this issuer
  }).catch(async (error: unknown) => {
    await stack.stop()
    throw error
  })
  const reader = createTopicReader({ KAFKA_BROKERS: stack.kafkaBrokers })
  const { url } = world.auth
  const known: Account | undefined = running?.account
  const account =
    known === undefined ? await signUp(url) : accountAt(url, known.billingId, known.apiKey)
  return { stack, world, reader, account }
}

async function killEverything(): Promise<void> {
  const { stack, world, reader } = running
  await Promise.all([world.auth.kill(), world.ingest.kill(), world.output.kill(), stack.kill()])
  await reader.close()
}

// --- load ---

function newEvent(random: () => number): Sent {
  const consentLevels = [0, 1, 2, 3].filter(() => random() < 0.5)
  const person = `person ${Math.floor(random() * 200)}`
  const event: Sent = { mark: `event ${sent.size}`, person, consentLevels, status: undefined }
  sent.set(event.mark, event)
  return event
}

const bodyOf = ({ mark, person, consentLevels }: Sent) => ({
  ...example,
  svcMeta: { consentLevels },
  unique_identifier: { string: `unique ${mark}` },
  consistent_value: person,
  not_sensitive_value: { string: mark },
})

async function sendUntilItBreaks(ingestUrl: string, random: () => number): Promise<void> {
  const producer = await connectProducer(ingestUrl)
  const token = tokens[0] ?? ''
  const lane = async () => {
    for (;;) {
      const event = newEvent(random)
      const answer = await producer.send(bodyOf(event), { token, schemaId }).catch(() => undefined)
      if (answer === undefined) return
      event.status = answer.status
    }
  }
  await Promise.all(Array.from({ length: SENDS_AT_ONCE }, lane))
  producer.close()
}

/** Creates streams and revokes credentials until auth is gone. */
async function manageUntilItBreaks(account: Account): Promise<void> {
  for (;;) {
    const name = freshName('made')
    try {
      const stream = await account.input(name)
      made.push(stream)
      const path = `/v2/streams/${name}/credentials`
      const { body } = expectStatus(await account.call('POST', path), 201)
      const clientId = textIn(body, 'clientId')
      expectStatus(await account.call('DELETE', `${path}/${clientId}`), 200)
      revoked.push({ clientId, clientSecret: textIn(body, 'clientSecret') })
    } catch {
      return
    }
  }
}

// --- checks ---

const placeOf = (topic: string, { partition, offset }: SourceRecord): string =>
  `${topic}/${partition}/${offset}`

type Stored = { event: Sent; record: SourceRecord }

/** Checks that every accepted event is in the input topic. Returns the events by location. */
async function expectInputHoldsWhatWasAccepted(): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>()
  const marks = new Set<string>()
  for (const record of await running.reader.read(input.topic)) {
    const mark = textIn(plainEvent(contract, record), 'not_sensitive_value')
    const event = sent.get(mark)
    if (event === undefined) throw new Error(`nobody sent ${mark}`)
    stored.set(placeOf(input.topic, record), { event, record })
    marks.add(mark)
  }
  expect(stored.size).toBe(marks.size)
  const accepted = [...sent.values()].filter(({ status }) => status === 204)
  expect(accepted.filter(({ mark }) => !marks.has(mark))).toEqual([])
  return stored
}

async function expectDerived(
  { stream, level }: (typeof derived)[number],
  stored: ReadonlyMap<string, Stored>,
): Promise<void> {
  const wanted = [...stored].filter(([, { event }]) => event.consentLevels.includes(level))
  const records = await running.reader.readUntil(stream.topic, wanted.length, 60_000)
  const sources = records.map(({ headers }) => headers['svc-source']?.toString() ?? '')
  // Both topics are read by partition, so this also checks the order within each partition.
  expect(sources).toEqual(wanted.map(([place]) => place))
  for (const [index, record] of records.entries()) {
    const plain = plainEvent(contract, record)
    const { mark, person } = wanted[index]?.[1].event ?? { mark: '', person: '' }
    expect(plain['not_sensitive_value']).toBe(mark)
    expect(plain['unique_identifier']).toBe(`unique ${mark}`)
    expect(plain['consistent_value'] === person).toBe(level >= 2)
  }
}

async function expectStateIsKept(): Promise<void> {
  const { account, world } = running
  const producer = await connectProducer(world.ingest.url)
  for (const token of tokens) {
    const event = newEvent(Math.random)
    event.status = (await producer.send(bodyOf(event), { token, schemaId })).status
    expect(event.status).toBe(204)
  }
  producer.close()
  tokens.push(await account.token(input))
  for (const stream of made) expect(await account.token(stream)).not.toBe('')
  for (const { clientId, clientSecret } of revoked) {
    const { billingId } = account
    const reply = await account.call('POST', '/auth', { billingId, clientId, clientSecret })
    expect(reply.status).toBe(401)
  }
}

test.each(scale([1, 2], [1]))(
  'what was answered before a SIGKILL of everything holds after a start (seed %i)',
  async (seed) => {
    const random = seededNumbers(seed)
    const [madeBefore, sentBefore] = [made.length, sent.size]
    const { world, account } = running
    const load = [
      ...Array.from({ length: CONNECTIONS }, () => sendUntilItBreaks(world.ingest.url, random)),
      manageUntilItBreaks(account),
    ]
    const isLoaded = () => made.length > madeBefore && sent.size > sentBefore + 500
    await pollUntil(isLoaded, { deadlineMs: 60_000, everyMs: 5, what: 'load' })
    await delay(random() * 2_000)

    await killEverything()
    await Promise.all(load)
    running = await startEverything()

    await expectStateIsKept()
    const stored = await expectInputHoldsWhatWasAccepted()
    for (const each of derived) await expectDerived(each, stored)
  },
  120_000,
)
