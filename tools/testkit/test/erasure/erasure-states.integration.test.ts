// Tests who can still decrypt which values in each state of an erasure. The test's own broker rolls segments of
// `weir.keys`, and compacts this topic, within seconds, so that erasures become complete during the test.
import { consentLevelsOf } from '@weir/contracts'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { delay, pollUntil } from '@weir/kit'

import { scale, within } from '../../src/scale.ts'
import {
  asObject,
  signUp,
  exampleEvent,
  expectStatus,
  freshName,
  listIn,
  reachedAt,
  request,
  textIn,
} from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { dieAt } from '../../src/world/die-at.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { openOwnStack } from '../../src/world/own-stack.ts'
import type { OwnStack } from '../../src/world/own-stack.ts'
import { kekFileOf, setting } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'
import { expectHolds, expectIsNoToken } from './receipt.ts'
import { steal } from './thief.ts'
import type { SealedField } from './thief.ts'

const segmentMs = 2_500
const keysConfig = {
  'cleanup.policy': 'compact',
  'segment.ms': String(segmentMs),
  'max.compaction.lag.ms': '1000',
  'min.compaction.lag.ms': '0',
  'min.cleanable.dirty.ratio': '0.01',
  'file.delete.delay.ms': '500',
  'max.message.bytes': '4194304',
}
/** Keeps replaced records in `weir.keys`. */
const heldConfig = {
  ...keysConfig,
  'max.compaction.lag.ms': '86400000',
  'min.compaction.lag.ms': '86400000',
}
const schemaId = 'demo_v1'

let own: OwnStack
let world: World
let account: Account

beforeAll(async () => {
  const brokerSettings = {
    'log.cleaner.backoff.ms': 200,
    'log.retention.check.interval.ms': 1_000,
    'log.initial.task.delay.ms': 1_000,
  }
  own = await openOwnStack('erasure-states', brokerSettings)
  await own.reader.admin.topics.create({ topic: 'weir.keys', partitions: 1, config: keysConfig })
  world = await own.startWorld()
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
})

afterAll(async () => {
  await own?.close()
})

// --- actions of the tests ---

async function send(token: string, name: string): Promise<number> {
  const event = {
    ...(await exampleEvent(schemaId)),
    svcMeta: { consentLevels: [1, 2, 3] },
    consistent_value: name,
    not_sensitive_value: { string: name },
  }
  // Opens a connection for each event: ingest closes idle connections after a minute, and auth is down for longer.
  const producer = await connectProducer(world.ingest.url)
  try {
    return (await producer.send(event, { token, schemaId })).status
  } finally {
    producer.close()
  }
}

/** Creates a stream with one event of each person. */
async function streamOf(names: readonly string[]): Promise<TestStream> {
  const stream = await account.input(freshName('s'))
  const token = await account.token(stream)
  for (const name of names) expect(await send(token, name)).toBe(204)
  return stream
}

async function erase(
  stream: TestStream,
  body: object,
  at: Account = account,
): Promise<Record<string, unknown>> {
  return expectStatus(await at.call('POST', `/v2/streams/${stream.name}/erasures`, body), 201).body
}

const look = async (stream: TestStream, id: unknown, more = ''): Promise<Record<string, unknown>> =>
  (await account.call('GET', `/v2/streams/${stream.name}/erasures/${String(id)}${more}`)).body

const untilIs = (stream: TestStream, id: unknown, state: string) =>
  pollUntil(
    async () => {
      const erasure = await look(stream, id).catch(() => ({}))
      return reachedAt(erasure, state) === undefined ? undefined : erasure
    },
    { deadlineMs: 60_000, everyMs: 50, what: `an erasure that is ${state}` },
  )

const aTime = expect.stringMatching(/^\d{4}-.*Z$/)

const msBetween = (erasure: Record<string, unknown>, from: string, to: string): number =>
  Date.parse(reachedAt(erasure, to) ?? '') - Date.parse(reachedAt(erasure, from) ?? '')

/** Returns the encrypted key field of each event, by person. */
async function sealedIn(stream: TestStream, count: number): Promise<Map<unknown, SealedField>> {
  const contract = await compiledExample(schemaId)
  const records = await own.reader.readUntil(stream.topic, count)
  return new Map(
    records.map((record) => {
      const plain = plainEvent(contract, record)
      const text = textIn(plain, 'consistent_value')
      const consentLevels = consentLevelsOf(plain)
      const field = { record, consentLevels, level: 2, path: 'consistent_value', text }
      return [plain['not_sensitive_value'], field]
    }),
  )
}

/**
 * Derives all events into a new output. Returns the people whose events are encrypted, and the people whose events are
 * decrypted.
 */
async function replay(stream: TestStream, count: number) {
  const name = freshName('replay')
  const output = await account.output(stream.name, name, { consentLevels: [3], from: 'earliest' })
  const contract = await compiledExample(schemaId)
  const shown = (await own.reader.readUntil(output.topic, count)).map((record) => {
    const isSealed = record.headers['svc-undecryptable'] !== undefined
    return { isSealed, name: String(plainEvent(contract, record)['not_sensitive_value']) }
  })
  const namesOf = (isSealed: boolean) =>
    [...new Set(shown.filter((one) => one.isSealed === isSealed).map(({ name: of }) => of))].sort()
  return { sealed: namesOf(true), open: namesOf(false) }
}

// --- the guarantees ---

test('a thief with the KEK and all of the log decrypts an erased value until the erasure is complete, and never again', async () => {
  const stream = await streamOf(['ada', 'bob'])
  const fields = await sealedIn(stream, 2)
  const [ada, bob] = [fields.get('ada'), fields.get('bob')]
  if (ada === undefined || bob === undefined) throw new Error('an event is missing')
  const kekFile = kekFileOf('auth')

  const output = await account.output(stream.name, freshName('o'), { consentLevels: [3] })

  await own.reader.admin.configs.setTopic('weir.keys', heldConfig)
  const { id, salt } = await erase(stream, { keyFieldValue: 'bob', reference: 'TICKET-7' })

  const early = await steal(own.reader.kafka, kekFile)
  expect(await look(stream, id)).toMatchObject({
    reference: 'TICKET-7',
    states: {
      accepted: { at: aTime },
      complete: { expectedBy: aTime },
      destroyed: { expectedBy: 'unknown' },
    },
  })
  expect([early.open(ada), early.open(bob)]).toEqual(['ada', 'bob'])
  const tooEarly = await look(stream, id, '/receipt')
  expect(tooEarly).toMatchObject({ status: 409, code: 'not_complete' })

  await own.reader.admin.configs.setTopic('weir.keys', keysConfig)
  const erasure = await untilIs(stream, id, 'complete')
  const late = await steal(own.reader.kafka, kekFile)
  expect([late.open(ada), late.open(bob)]).toEqual(['ada', undefined])
  expect(msBetween(erasure, 'accepted', 'applied')).toBeGreaterThanOrEqual(0)
  expect(msBetween(erasure, 'applied', 'complete')).toBeGreaterThan(0)

  const receipt = textIn(await look(stream, id, '/receipt'), 'receipt')
  const scene = { own, world, account }
  await expectHolds(scene, receipt, { salt: String(salt), output: output.name })
  await expectIsNoToken(scene, receipt)
})

test('an output that has decrypted an erased value is named with a time, and at that time its topic holds nothing of it', async () => {
  const stream = await streamOf([])
  // With 'broker', auth doesn't set the retention. It is set below.
  const asked = { consentLevels: [3], retentionHours: 'broker' }
  const output = await account.output(stream.name, freshName('o'), asked)
  expect(await send(await account.token(stream), 'bob')).toBe(204)
  const contract = await compiledExample(schemaId)
  const [before] = await own.reader.readUntil(output.topic, 1)
  expect(before && plainEvent(contract, before)['consistent_value']).toBe('bob')
  const times = { 'retention.ms': 4_000, 'segment.ms': 1_500, 'file.delete.delay.ms': 500 }
  const config = Object.fromEntries(Object.entries(times).map(([key, ms]) => [key, String(ms)]))
  await own.reader.admin.configs.setTopic(output.topic, { ...config, 'cleanup.policy': 'delete' })

  const { id } = await erase(stream, { keyFieldValue: 'bob' })

  const erasure = await untilIs(stream, id, 'applied')
  const [named, ...others] = listIn(erasure, 'outputs')
  const levels = [1, 2, 3]
  expect([named, others]).toEqual([
    { name: output.name, levels, foundLevels: levels, events: 1, clearAt: aTime },
    [],
  ])
  const clearMs = Date.parse(textIn(asObject(named), 'clearAt'))
  const checkMs = 1_000 // log.retention.check.interval.ms of this broker
  expect(clearMs - Date.parse(reachedAt(erasure, 'applied') ?? '')).toBe(
    4_000 + 1_500 + 500 + checkMs,
  )
  await delay(clearMs - Date.now())
  // On a busy machine the broker may check a little later.
  const isClear = async () => (await own.reader.read(output.topic)).length === 0
  await pollUntil(isClear, {
    deadlineMs: within(5_000),
    everyMs: 100,
    what: 'a topic that is clear',
  })
})

describe('an auth that is killed', () => {
  let spare: Service | undefined
  afterAll(() => spare?.stop())

  /** The record of an erasure in the states accepted, applied and complete. */
  const steps = [
    /^erasure\/(?!.*"(appliedAtMs|complete)":)/,
    /"appliedAtMs":(?!.*"complete":)/,
    /"complete":/,
  ]

  const everyMoment = ['before', 'open', 'after'] as const

  test('before, in and after every one of its transactions leaves an erasure that the next one brings to its end', async () => {
    const stream = await streamOf(['bob', 'ada'])
    const path = `/v2/streams/${stream.name}/erasures`
    const answers: unknown[] = []
    await world.auth.kill()
    for (const record of steps) {
      const isFirst = record === steps[0]
      // A death before a step leaves the same records in Kafka as a death after the previous step.
      const whens = scale(true, isFirst) ? everyMoment : everyMoment.slice(1)
      for (const when of whens) {
        await dieAt(world, { record, when }, async (url) => {
          if (!isFirst) return
          const answer = account.at(url).call('POST', path, { keyFieldValue: 'bob' })
          answers.push((await answer.catch(() => undefined))?.status)
        })
      }
    }
    expect(answers).toEqual([undefined, undefined, undefined])
    spare = await world.replica('auth')
    account = account.at(spare.url)
    // Transactions without a commit have left no erasure.
    const [erasure, ...others] = asList((await account.call('GET', path)).text).map(asObject)
    expect(others).toEqual([])
    await untilIs(stream, erasure?.['id'], 'complete')
    expect(await replay(stream, 2)).toEqual({ sealed: ['bob'], open: ['ada'] })
  }, 180_000)

  test('is missed by nobody: of erasures at once over two replicas, amid a rotation, each holds', async () => {
    const other = await world.replica('auth')
    const names = Array.from({ length: 12 }, (_, index) => `person-${10 + index}`)
    const stream = await streamOf([...names, 'ada'])
    const accounts = [account, account.at(other.url)]
    const asPlatform = (method: string, path: string) =>
      request(other.url, setting('PLATFORM_KEY'), method, path)
    const rotating = asPlatform('POST', '/v2/keys/rotations')
    await Promise.all(
      names.map((name, index) => erase(stream, { keyFieldValue: name }, accounts[index % 2])),
    )
    expect((await rotating).status).toBe(202)
    const isRotated = async () =>
      typeof asObject((await asPlatform('GET', '/v2/keys')).body['rotation'])['finishedAt'] ===
      'string'
    await pollUntil(isRotated, { deadlineMs: 80_000, everyMs: 200, what: 'the rotation' })
    expect(await replay(stream, names.length + 1)).toEqual({ sealed: names, open: ['ada'] })
  })
})

const asList = (text: string): unknown[] => {
  const list: unknown = JSON.parse(text)
  return Array.isArray(list) ? list : []
}
