// An attacker controls one service, with the contents of its pod: its file of KEKs, and its login to Kafka. A script
// tries every action, also without the necessary right. With auth's rights all actions succeed, which proves that the
// attacks work. The test's own broker has an authorizer, and each service logs in under its own name.
import { readFile, writeFile } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { REPOSITORY, kekFilesIn, makeKekFiles } from '@weir/devstack'
import { keyTimeOf } from '@weir/fieldcrypt'
import type { SourceRecord } from '@weir/kafka'

import { asObject, signUp, exampleEvent, expectStatus, request } from '../../src/world/account.ts'
import { compiledBefore } from '../../src/world/run-program.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import type { OpenedKeys } from '../../src/world/open-keys.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { openLoginStack } from '../../src/world/login-stack.ts'
import type { LoginStack } from '../../src/world/login-stack.ts'
import type { World } from '../../src/world/services.ts'
import type { TopicReader } from '../../src/world/topic.ts'
import { forgeReceipt, forgeToken, stealKeys, tryAtKafka } from './taken-over/attacker.ts'
import type { Attempts, Pod } from './taken-over/attacker.ts'
import { isPerson, keysOf } from './taken-over/people.ts'

const WRITER = 'weir.control.writer'
const schemaId = 'clickstream'
const person = 'session-0001'
const rotationMs = 86_400_000

let folder: string
let stack: LoginStack
let world: World
let reader: TopicReader
let account: Account
let input: TestStream
let derived: TestStream
let record: SourceRecord
const pods: Record<'auth' | 'ingest' | 'output', Pod | undefined> = {
  auth: undefined,
  ingest: undefined,
  output: undefined,
}

beforeAll(async () => {
  // auth has all rights, like its user in k8s/components/strimzi.
  const users = ['weir-auth', 'weir-ingest', 'weir-output']
  stack = await openLoginStack('taken-over', users, ['weir-auth'])
  ;({ folder, reader } = stack)
  await makeKekFiles(folder)
  const auth = {
    KAFKA_ACLS: 'required',
    KAFKA_INGEST_PRINCIPAL: 'User:weir-ingest',
    KAFKA_OUTPUT_PRINCIPAL: 'User:weir-output',
  }
  world = await stack.startWorld(
    { KEK_FOLDER: folder },
    {
      auth: { ...stack.loginOf('weir-auth'), ...auth },
      ingest: stack.loginOf('weir-ingest'),
      output: stack.loginOf('weir-output'),
    },
  )
  for (const name of ['auth', 'ingest', 'output'] as const) pods[name] = await podOf(name)
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
  input = await account.input('clicks', { partitions: 1 })
  derived = await account.output('clicks', 'clicks-1', { consentLevels: [1] })
  await sendWith(await account.token(input))
  const [first] = await reader.readUntil(input.topic, 1)
  if (first === undefined) throw new Error('there is no record')
  record = first
  await reader.readUntil(derived.topic, 1)
}, 240_000)

afterAll(async () => {
  await stack?.close()
})

const podOf = async (name: 'auth' | 'ingest' | 'output'): Promise<Pod> => ({
  kekLines: await readFile(kekFilesIn(folder)[name], 'utf8'),
  login: stack.clientOf(`weir-${name}`),
})

async function sendWith(token: string): Promise<number> {
  const producer = await connectProducer(world.ingest.url)
  const event = await exampleEvent(schemaId)
  const { status } = await producer.send(event, { token, schemaId })
  producer.close()
  return status
}

async function publishedKid(alg: string): Promise<string> {
  const { keys } = (await request(world.auth.url, '', 'GET', '/.well-known/jwks.json')).body
  const list = Array.isArray(keys) ? keys.map(asObject) : []
  return String(list.find((key) => key['alg'] === alg)?.['kid'])
}

async function isTokenTaken(keys: OpenedKeys): Promise<boolean> {
  const stream = expectStatus(await account.call('GET', '/v2/streams/clicks'), 200).body
  const about = {
    sub: input.clientId,
    billingId: account.billingId,
    stream: 'clicks',
    streamId: stream['streamId'] ?? streamIdOf(keys),
    kind: 'input',
  }
  const status = await sendWith(forgeToken(keys, await publishedKid('RS256'), about))
  expect([204, 401]).toContain(status)
  return status === 204
}

/** Finds the streamId, which is in the keys of records. */
const streamIdOf = ({ parts }: OpenedKeys): string | undefined =>
  [...parts.keys()].find((key) => key.startsWith(`${account.billingId}/`))?.split('/')[1]

async function doesReceiptHold(keys: OpenedKeys): Promise<boolean> {
  const jwks = (await request(world.auth.url, '', 'GET', '/.well-known/jwks.json')).text
  const [file, published] = [join(folder, 'receipt'), join(folder, 'jwks')]
  await writeFile(published, jwks)
  await writeFile(file, forgeReceipt(keys, await publishedKid('ES256')))
  const weir = join(REPOSITORY, 'clients/cli/bin/weir.js')
  const args = [weir, 'erasure', 'verify', file, '--jwks', published]
  return promisify(execFile)(process.execPath, args, { cwd: folder, env: compiledBefore() }).then(
    () => true,
    (error: unknown) => {
      expect(String(asObject(error)['stderr'])).toContain('the receipt is not valid')
      return false
    },
  )
}

function isPersonKnown(keys: OpenedKeys): boolean {
  const era = keysOf(keys, keyTimeOf(Number(record.timestampMs), rotationMs).era)
  return isPerson(era, record.headers['svc-key-link'] ?? Buffer.alloc(0), person)
}

/** Returns the keys that the attacker can decrypt, and the actions that they permit. */
async function lootOf(name: 'auth' | 'ingest' | 'output') {
  const keys = await stealKeys(pod(name))
  const opened = [...keys.parts].filter(([, { plain }]) => plain !== undefined)
  return {
    parts: new Set(opened.map(([key]) => key.replace(/^_(\w+)\/.*/, '$1').replace(/.*\//, ''))),
    signsTokens: await isTokenTaken(keys),
    forgesReceipts: await doesReceiptHold(keys),
    computesLinks: isPersonKnown(keys),
  }
}

function pod(name: 'auth' | 'ingest' | 'output'): Pod {
  const found = pods[name]
  if (found === undefined) throw new Error('the services have not started')
  return found
}

const control = ['weir.control', 'weir.keys', 'weir.audit']
/** With `within`, a transactional id, the writes are in a transaction that is aborted. */
const attemptsOf = (within?: string): Attempts => ({
  produce: [input.topic, derived.topic, `${derived.topic}.dead`, ...control].map((topic) => ({
    topic,
    ...(within === undefined ? {} : { transactionalId: within }),
  })),
  fence: [WRITER, `weir.derive.${derived.topic}.0`],
})
const derivedTopics = () => [derived.topic, `${derived.topic}.dead`]

const doneIn = (outcomes: Readonly<Record<string, string | null>>): string[] =>
  Object.entries(outcomes).flatMap(([name, error]) => (error === null ? [name] : []))
const errorsIn = (outcomes: Readonly<Record<string, string | null>>): Set<string | null> =>
  new Set(Object.values(outcomes).filter((error) => error !== null))

const NOT_THIS_TOPIC = new Set(['TOPIC_AUTHORIZATION_FAILED'])
const NOT_THIS_ID = new Set(['TRANSACTIONAL_ID_AUTHORIZATION_FAILED'])

describe('with what output has', () => {
  test('nobody can sign a token, forge a receipt, or compute a link', async () => {
    expect(await lootOf('output')).toEqual({
      parts: new Set(['label', 'tree', 'level.0', 'level.1']),
      signsTokens: false,
      forgesReceipts: false,
      computesLinks: false,
    })
  })

  test("nobody can write an input topic or control state, or fence auth's writer", async () => {
    const { produced, fenced } = await tryAtKafka(pod('output'), attemptsOf())
    expect(doneIn(produced)).toEqual(derivedTopics())
    expect(errorsIn(produced)).toEqual(NOT_THIS_TOPIC)
    expect(doneIn(fenced)).toEqual([`weir.derive.${derived.topic}.0`])
    expect(errorsIn(fenced)).toEqual(NOT_THIS_ID)
    // In a transaction, the client reports a refused topic as a dropped record.
    const within = await tryAtKafka(pod('output'), attemptsOf('weir.derive.attack'))
    expect(doneIn(within.produced)).toEqual(derivedTopics())
  })
})

describe('with what ingest has', () => {
  test('nobody can sign a token or forge a receipt', async () => {
    expect(await lootOf('ingest')).toMatchObject({
      signsTokens: false,
      forgesReceipts: false,
      computesLinks: true,
    })
  })

  test("nobody can write a derived topic or control state, or fence a deriver or auth's writer", async () => {
    const { produced, fenced } = await tryAtKafka(pod('ingest'), attemptsOf())
    expect(doneIn(produced)).toEqual([input.topic])
    expect(errorsIn(produced)).toEqual(NOT_THIS_TOPIC)
    expect(doneIn(fenced)).toEqual([])
    expect(errorsIn(fenced)).toEqual(NOT_THIS_ID)
  })
})

describe('with what auth has, so that these tests can fail', () => {
  test('the same script signs a token, forges a receipt and computes a link', async () => {
    const { parts, ...can } = await lootOf('auth')
    expect(can).toEqual({ signsTokens: true, forgesReceipts: true, computesLinks: true })
    expect([...parts]).toEqual(expect.arrayContaining(['signing', 'receipt', 'link']))
  })

  test("it writes everywhere and fences auth's writer, which takes its place again", async () => {
    const attempts = attemptsOf('weir.attack')
    const { produced, fenced } = await tryAtKafka(pod('auth'), attempts)
    expect(doneIn(produced)).toEqual(attempts.produce.map(({ topic }) => topic))
    expect(doneIn(fenced)).toEqual(attempts.fence)
    await account.input('afterwards')
  })
})

test('a service with its own rights goes on with its work after all this', async () => {
  const before = (await reader.read(derived.topic)).length
  expect(await sendWith(await account.token(input))).toBe(204)
  await reader.readUntil(derived.topic, before + 1)
})
