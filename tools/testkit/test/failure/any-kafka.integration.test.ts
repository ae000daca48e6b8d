// Weir on a Kafka with settings that have broken Weir before: brokers compress records, set their own timestamps, and
// have a quota far below the input rate.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Contract } from '@weir/contracts'
import { delay, pollUntil } from '@weir/kit'

import { measured } from '../../src/scale.ts'
import { asObject, signUp, exampleEvent, expectStatus, freshName } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { listen } from '../../src/world/listener.ts'
import { openOwnStack } from '../../src/world/own-stack.ts'
import type { OwnStack } from '../../src/world/own-stack.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Producer } from '../../src/world/producer.ts'
import { setProduceQuota } from '../../src/world/quota.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const schemaId = 'demo_v1'
const consentLevels = [1]
const events = 1_000
const eventsAtOnce = 50
const quotaBytes = 50_000

let own: OwnStack
let world: World
let account: Account
let producer: Producer
let contract: Contract
let event: Record<string, unknown>

beforeAll(async () => {
  own = await openOwnStack('any-kafka', {
    'compression.type': 'zstd',
    'log.message.timestamp.type': 'LogAppendTime',
  })
  world = await own.startWorld({ PRODUCE_TIMEOUT_MS: '1000' })
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
  producer = await connectProducer(world.ingest.url)
  contract = await compiledExample(schemaId)
  event = await exampleEvent(schemaId)
})

afterAll(async () => {
  producer?.close()
  await own?.close()
})

/** Returns an event with a mark in a field that isn't encrypted. */
const eventOf = (mark: string) => ({
  ...event,
  svcMeta: { consentLevels },
  consistent_value: freshName('key'),
  not_sensitive_value: { string: mark },
})

async function streams(name: string): Promise<{ input: TestStream; output: TestStream }> {
  const input = await account.input(name)
  return { input, output: await account.output(name, `${name}-1`, { consentLevels }) }
}

async function marksIn(topic: string): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (const record of await own.reader.read(topic)) {
    const mark = String(plainEvent(contract, record)['not_sensitive_value'])
    times.set(mark, (times.get(mark) ?? 0) + 1)
  }
  return times
}

/** By mark, what the response says: the event is stored, is not stored, or may be stored. */
type Said = Map<string, 'stored' | 'not' | 'maybe'>

function saidOf(status: number, message: string): 'stored' | 'not' | 'maybe' {
  if (status === 204) return 'stored'
  if (status !== 503) throw new Error(`answered ${status}: ${message}`)
  return /may be stored/i.test(message) ? 'maybe' : 'not'
}

async function sendEach(token: string, said: Said): Promise<void> {
  const worker = async (of: number): Promise<void> => {
    for (let index = of; index < events; index += eventsAtOnce) {
      const mark = `event ${index}`
      const { status, body } = await producer.send(eventOf(mark), { token, schemaId })
      said.set(mark, saidOf(status, body))
    }
  }
  await Promise.all(Array.from({ length: eventsAtOnce }, (_, of) => worker(of)))
}

async function sendMany(token: string, said: Said): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' }
  for (let from = 0; from < events; from += 200) {
    const marks = Array.from({ length: 200 }, (_, index) => `events ${from + index}`)
    const body = marks.map((mark) => `${JSON.stringify(eventOf(mark))}\n`).join('')
    const options = { token, schemaId, path: '/events', headers }
    const { status, body: answer } = await producer.send(body, options)
    if (status !== 200) for (const mark of marks) said.set(mark, saidOf(status, answer))
    else {
      for (const mark of marks) said.set(mark, 'stored')
      for (const one of Object(JSON.parse(answer)).rejected)
        said.set(marks[one.index] ?? '', saidOf(one.status, one.message))
    }
  }
}

function expectTrue(said: Said, times: ReadonlyMap<string, number>): void {
  const wrong = [...said].filter(([mark, what]) => {
    const stored = times.get(mark) ?? 0
    return what === 'stored' ? stored !== 1 : stored > (what === 'maybe' ? 1 : 0)
  })
  expect(wrong).toEqual([])
}

test('topics are made so that a broker’s defaults don’t matter', async () => {
  const { input, output } = await streams('pinned')
  const timeOf = new Map([
    [input.topic, 'CreateTime'],
    [output.topic, 'LogAppendTime'],
    [`${output.topic}.dead`, 'LogAppendTime'],
  ])
  const found = await own.reader.admin.configs.topics([...timeOf.keys()])
  expect(found.size).toBe(timeOf.size)
  for (const [topic, { own: set }] of found)
    expect(set).toMatchObject({
      'compression.type': 'producer',
      'message.timestamp.type': timeOf.get(topic),
      'unclean.leader.election.enable': 'false',
    })
  const warnings = world.logLines().filter((line) => line.includes('min.insync.replicas is 1'))
  expect(warnings).not.toEqual([])
})

test('a topic that somebody has compress and stamp with its own time is derived, watched and looked into', async () => {
  // Given
  const { input, output } = await streams('compressed')
  for (const topic of [input.topic, output.topic]) {
    const config = { 'compression.type': 'zstd', 'message.timestamp.type': 'LogAppendTime' }
    const { own: set } = (await own.reader.admin.configs.topics([topic])).get(topic) ?? {}
    await own.reader.admin.configs.setTopic(topic, { ...set, ...config })
  }
  const listener = await listen(world.output.url, await account.token(output))
  const token = await account.token(input)
  const patient = await world.replica('ingest', { PRODUCE_TIMEOUT_MS: '30000' })
  const sending = await connectProducer(patient.url)

  // When
  const marks = Array.from({ length: 50 }, (_, index) => `compressed ${index}`)
  for (const mark of marks)
    expect((await sending.send(eventOf(mark), { token, schemaId })).status).toBe(204)
  sending.close()

  // Then
  const watched = await listener.until(marks.length)
  listener.close()
  expect(new Set(watched.map((one) => one['not_sensitive_value']))).toEqual(new Set(marks))
  expect(new Set((await marksIn(output.topic)).keys())).toEqual(new Set(marks))
  const preview = await fetch(`${world.output.url}/v2/streams/compressed/outputs/preview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ consentLevels, consentLevelType: 'CUMULATIVE', last: 50 }),
  })
  expect([preview.status, JSON.stringify(await preview.json())]).toEqual([
    200,
    expect.stringContaining('"events":50,"passed":50,"filtered":0,"failed":0'),
  ])
  const dead = await fetch(`${world.output.url}/v2/streams/compressed/outputs/compressed-1/dead`, {
    headers: { authorization: `Bearer ${account.apiKey}` },
  })
  expect(asObject(await dead.json())).toMatchObject({ total: 0 })
})

test('with a quota far below what comes in each event is stored once, not, or may be, just as its answer says, and all are derived', async () => {
  // Given
  const { input, output } = await streams('throttled')
  const quiet = await streams('quiet')
  const [token, quietToken] = [await account.token(input), await account.token(quiet.input)]
  const said: Said = new Map()
  await setProduceQuota(own.brokers, quotaBytes)
  const quietMs: number[] = []
  const quietSaid: Said = new Map()

  // When
  let isLoading = true
  const sendQuietly = async (): Promise<void> => {
    while (isLoading) {
      const mark = `quiet ${quietMs.length}`
      const startMs = performance.now()
      const send = { token: quietToken, schemaId }
      const { status, body } = await producer.send(eventOf(mark), send)
      quietSaid.set(mark, saidOf(status, body))
      quietMs.push(performance.now() - startMs)
      await delay(200)
    }
  }
  const quietly = sendQuietly()
  await Promise.all([sendEach(token, said), sendMany(token, said)])
  isLoading = false
  await quietly
  await setProduceQuota(own.brokers, undefined)

  // Then
  expect(said.size).toBe(2 * events)
  const times = await marksIn(input.topic)
  expectTrue(said, times)
  expectTrue(quietSaid, await marksIn(quiet.input.topic))
  expect([...said.values()].filter((what) => what === 'stored').length).toBeGreaterThan(100)
  expect(quietMs.toSorted((a, b) => a - b)[Math.floor(quietMs.length / 2)]).toBeLessThan(
    measured(1_500),
  )
  const derived = await pollUntil(
    async () => {
      const found = await marksIn(output.topic)
      return found.size >= times.size ? found : undefined
    },
    { deadlineMs: 60_000, everyMs: 500, what: 'all to be derived' },
  )
  expect(derived).toEqual(times)
}, 150_000)

test('nothing that was given up for a quota gets into a topic that is made anew under its name', async () => {
  await setProduceQuota(own.brokers, quotaBytes / 5)
  const first = await account.input('anew')
  const token = await account.token(first)
  const sending = Array.from({ length: 400 }, (_, index) =>
    producer.send(eventOf(`old ${index}`), { token, schemaId }),
  )
  await delay(500)
  expectStatus(await account.call('DELETE', '/v2/streams/anew'), 200)
  const make = async () => {
    const taken = await account.call('POST', '/v2/streams', { name: 'anew' })
    return taken.status === 201 ? account.made(taken) : undefined
  }
  const second = await pollUntil(make, { deadlineMs: 60_000, everyMs: 200, what: 'a free name' })
  await Promise.all(sending)
  await setProduceQuota(own.brokers, undefined)
  // Longer than the broker's throttling after these requests.
  await delay(5_000)
  expect([...(await marksIn(second.topic)).keys()]).toEqual([])
})
