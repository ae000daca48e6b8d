// Outputs that their readers decrypt: the contents of their topics, the keys that `POST /v2/keys` returns to a reader,
// and the effects of erasures and withdrawals (docs/keys.md Keys for readers).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { aessiv } from '@noble/ciphers/aes.js'
import { pollUntil } from '@weir/kit'
import type { SourceRecord } from '@weir/kafka'
import {
  asObject,
  compiledExample,
  exampleEvent,
  expectStatus,
  inSoak,
  plainEvent,
  request,
} from '@weir/testkit'
import type { Reply, TestListener, TestStream } from '@weir/testkit'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

let scene: Scene
let input: TestStream
let lake: TestStream
let plain: TestStream
let listener: TestListener
const contract = await compiledExample('demo_v1')
const example = await exampleEvent('demo_v1')

const soon = { deadlineMs: 60_000, everyMs: 100 }
const atReaders = { decryptAt: 'reader', keyMaxAgeSeconds: 30 }

/** Creates an event with fields of the levels 1, 2 and 3. The key field has level 2. */
const eventOf = (person: string, consentLevels: number[]): object => ({
  ...example,
  unique_identifier: { string: `u-${person}` },
  consistent_value: person,
  some_sensitive_value: { string: `s-${person}` },
  svcMeta: { ...asObject(example['svcMeta']), consentLevels },
})

beforeAll(async () => {
  scene = await openScene()
  await scene.account.contract('demo_v1')
  input = await scene.account.input('events')
  lake = await scene.output('events', 'lake', { consentLevels: [2], ...atReaders })
  plain = await scene.output('events', 'plain', { consentLevels: [2] })
  listener = await scene.watch(lake)
  for (const person of ['anna', 'bert', 'cleo'])
    await scene.send(input, 'demo_v1', eventOf(person, [0, 1, 2, 3]))
  await scene.send(input, 'demo_v1', eventOf('anna', [0, 1]))
  await scene.untilDerived(input, 'lake')
})
afterAll(() => scene?.close(), 30_000)

type Asked = { keyLink: string; timestamp: number; consentLevels: number[] }
type Answer = Record<string, unknown>

const askOf = (record: SourceRecord): Asked => ({
  keyLink: record.key?.toString() ?? '',
  timestamp: Number(record.headers['svc-time']),
  consentLevels: consentIn(plainEvent(contract, record)),
})

const consentIn = (event: Answer): number[] => {
  const levels = asObject(event['svcMeta'])['consentLevels']
  return Array.isArray(levels) ? levels.map(Number) : []
}

async function post(body: unknown, stream: TestStream = lake): Promise<Reply> {
  const token = await scene.tokenOf(stream)
  return request(scene.world.output.url, token, 'POST', '/v2/keys', body)
}

async function keysFor(persons: readonly Asked[]): Promise<Answer[]> {
  const { body } = expectStatus(await post({ persons }), 200)
  const answers: unknown = body['persons']
  return Array.isArray(answers) ? answers.map(asObject) : []
}

/** Returns the field's value; undefined if no key decrypts it. */
function decrypted(event: Answer, path: string, answer: Answer): string | undefined {
  const bytes = Buffer.from(String(event[path]), 'base64').subarray(5)
  for (const key of Object.values(Object(answer['keys'])))
    try {
      const cipher = aessiv(Buffer.from(String(key), 'base64'), Buffer.from(path))
      return Buffer.from(cipher.decrypt(bytes)).toString()
    } catch {}
  return undefined
}

const fields = ['unique_identifier', 'consistent_value', 'some_sensitive_value']

/** Reads the topic, and decrypts the fields of each event as a reader can. */
async function readLake(): Promise<(string | undefined)[][]> {
  const records = await scene.topics.read(lake.topic)
  const answers = await keysFor(records.map(askOf))
  return records.map((record, nth) => {
    const event = plainEvent(contract, record)
    return fields.map((path) => decrypted(event, path, answers[nth] ?? {}))
  })
}

const byPerson = (events: (string | undefined)[][]) =>
  Object.fromEntries(
    events.filter(([, person]) => person !== undefined).map((one) => [one[1], one]),
  )

test('the topic has the events of its consent, with every field as in the input', async () => {
  const records = await scene.topics.read(lake.topic)
  expect(records).toHaveLength(3)
  const inInput = await scene.topics.read(input.topic)
  for (const record of records) {
    const same = inInput.find(({ value }) => value?.equals(record.value ?? Buffer.alloc(0)))
    expect(same?.key).toEqual(record.key)
    expect(record.headers['svc-undecryptable']).toBeUndefined()
  }
})

test('a reader decrypts fields up to the level of the output, and a WebSocket shows them decrypted', async () => {
  const people = byPerson(await readLake())
  expect(people).toEqual({
    anna: ['u-anna', 'anna', undefined],
    bert: ['u-bert', 'bert', undefined],
    cleo: ['u-cleo', 'cleo', undefined],
  })
  await pollUntil(() => listener.events.length === 3, soon)
  const shown = listener.events.map((event) => asObject(event))
  expect(new Set(shown.map((event) => event['consistent_value']))).toEqual(
    new Set(['anna', 'bert', 'cleo']),
  )
  for (const event of shown) expect(String(event['some_sensitive_value'])).toMatch(/^A/)
})

describe('no key is given', () => {
  let anna: Asked
  beforeAll(async () => {
    const records = await scene.topics.read(lake.topic)
    anna = records.map(askOf)[0] ?? { keyLink: '', timestamp: 0, consentLevels: [] }
  })

  test('for a keyLink that is not one of the stream and the time, and one bad entry stops no other', async () => {
    const other = await scene.account.input('others')
    await scene.send(other, 'demo_v1', eventOf('anna', [0, 1, 2, 3]))
    const [foreign] = await scene.topics.readUntil(other.topic, 1)
    const foreignLink = foreign?.key?.toString() ?? ''
    const answers = await keysFor([
      { ...anna, keyLink: randomUUID() },
      { ...anna, keyLink: 'no keyLink' },
      { ...anna, keyLink: foreignLink },
      { ...anna, timestamp: anna.timestamp - 86_400_000 },
      { ...anna, timestamp: Number.MAX_SAFE_INTEGER },
      { ...anna, timestamp: 0 },
      anna,
    ])
    const [last, ...others] = answers.toReversed()
    const reasons = others.map(({ unknown, expired }) => ({ unknown, expired }))
    const unknown = { unknown: true }
    expect(reasons).toEqual([{ expired: true }, ...Array(5).fill(unknown)])
    expect(Object.keys(asObject(last?.['keys']))).toEqual(['1', '2'])
  })

  test('for a consent that is not in the output, and that of another consent decrypts nothing', async () => {
    const records = await scene.topics.read(lake.topic)
    const [event = {}] = records.map((record) => plainEvent(contract, record))
    const [refused, changed] = await keysFor([
      { ...anna, consentLevels: [0, 1] },
      { ...anna, consentLevels: [0, 1, 2] },
    ])
    expect(refused).toEqual({ ...anna, consentLevels: [0, 1], refused: true })
    expect(decrypted(event, 'consistent_value', changed ?? {})).toBeUndefined()
  })

  test.each([
    ['the token of an input', () => post({ persons: [anna] }, input), 403, 'not_an_output'],
    [
      'an output that Weir decrypts',
      () => post({ persons: [anna] }, plain),
      409,
      'decrypted_already',
    ],
    ['nobody', () => post({ persons: [] }), 422, 'invalid'],
    [
      'too many',
      () => post({ persons: Array.from({ length: 1_001 }, () => anna) }),
      422,
      'invalid',
    ],
    [
      'a level that is none',
      () => post({ persons: [{ ...anna, consentLevels: [256] }] }),
      422,
      'invalid',
    ],
    [
      'an API key',
      () =>
        request(scene.world.output.url, scene.account.apiKey, 'POST', '/v2/keys', {
          persons: [anna],
        }),
      401,
      'invalid_token',
    ],
  ])('for %s', async (_, ask, status, code) => {
    const reply = await ask()
    expect([reply.status, reply.body['code']]).toEqual([status, code])
  })
})

test('withdrawn levels are named, their keys are gone, and a withdrawn purpose is refused', async () => {
  const withdrawn = await scene.account.call('POST', '/v2/streams/events/erasures', {
    keyFieldValue: 'bert',
    levels: [1],
  })
  expectStatus(withdrawn, 201)
  await pollUntil(async () => byPerson(await readLake())['bert']?.[0] === undefined, soon)
  const records = await scene.topics.read(lake.topic)
  const answers = await keysFor(records.map(askOf))
  expect(answers.flatMap(({ withdrawn: levels }) => levels ?? [])).toEqual([1])
  const purpose = await scene.account.call('POST', '/v2/streams/events/erasures', {
    keyFieldValue: 'cleo',
    levels: [2],
  })
  expectStatus(purpose, 201)
  await pollUntil(async () => {
    const after = await keysFor(records.map(askOf))
    return after.filter(({ refused }) => refused === true).length === 1
  }, soon)
})

test('who is erased cannot be read any more in the topic that was written before', async () => {
  const erased = await scene.account.call('POST', '/v2/streams/events/erasures', {
    keyFieldValue: 'anna',
  })
  const { body } = expectStatus(erased, 201)
  expect(body['outputs']).toEqual([expect.objectContaining({ name: 'plain' })])
  await pollUntil(async () => {
    const answers = await keysFor((await scene.topics.read(lake.topic)).map(askOf))
    return answers.filter((answer) => answer['erased'] === true).length === 1
  }, soon)
  expect(Object.keys(byPerson(await readLake()))).toEqual(['bert'])
  // Readers may use keys for 30 seconds after a request.
  const path = `/v2/streams/events/erasures/${String(body['id'])}`
  const heard = await scene.account.call('GET', path)
  const states = asObject(expectStatus(heard, 200).body['states'])
  expect(asObject(states['applied'])).not.toHaveProperty('at')
})

inSoak(() => {
  test('when an erasure is applied, every key that was ever given is too old', async () => {
    await scene.send(input, 'demo_v1', eventOf('dora', [0, 1, 2]))
    await scene.untilDerived(input, 'lake')
    const dora = (await scene.topics.read(lake.topic)).map(askOf).filter(isConsent([0, 1, 2]))
    const path = '/v2/streams/events/erasures'
    const { body } = expectStatus(
      await scene.account.call('POST', path, { keyFieldValue: 'dora' }),
      201,
    )
    let lastGivenMs = 0
    const applied = await pollUntil(
      async () => {
        const askedMs = Date.now()
        const [answer] = await keysFor(dora)
        if (answer?.['keys'] !== undefined) lastGivenMs = askedMs
        const erasure = await scene.account.call('GET', `${path}/${String(body['id'])}`)
        return asObject(asObject(erasure.body['states'])['applied'])['at']
      },
      { deadlineMs: 180_000, everyMs: 250 },
    )
    expect(dora).toHaveLength(1)
    expect(Date.parse(String(applied)) - lastGivenMs).toBeGreaterThanOrEqual(30_000)
    expect(await keysFor(dora)).toMatchObject([{ erased: true }])
  }, 240_000)
})

const isConsent =
  (wanted: readonly number[]) =>
  ({ consentLevels }: Asked): boolean =>
    String(consentLevels) === String(wanted)
