// Kills ingest and Kafka in turn, and pauses ingest, while a program sends with the driver. The outcome of each `send`
// must match the topic, and the program's memory must stay bounded.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort, startStack } from '@weir/devstack'
import type { Service, Stack } from '@weir/devstack'
import { delay, pollUntil, withTimeout } from '@weir/kit'
import {
  compiledExample,
  signUp,
  createTopicReader,
  exampleContract,
  exampleEvent,
  peakResidentBytes,
  plainEvent,
  scale,
  setting,
  startWorld,
  textIn,
} from '@weir/testkit'
import type { World } from '@weir/testkit'
import type { LoadOutcome, LoadPlan, LoadProgress } from './fixtures/load.ts'

const eventsPerSecond = scale(1_000, 300)
const buffer = { bufferEventsMax: 2 * eventsPerSecond, bufferBytesMax: 2 ** 20 }
const outageMs = 3_000
const deadlineMs = 90_000
/** Node alone needs a third of this memory. */
const residentBytesMax = 192 * 2 ** 20

let folder: string
let stack: Stack
let world: World
let ingest: Service
let outcomes: LoadOutcome[]
let timesStored: ReadonlyMap<number, number>
let last: LoadProgress
let peakBytes: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-client-'))
  const schemaRegistryUrl = setting('SCHEMA_REGISTRY_URL')
  stack = await startStack({ folder, ports: 'free', schemaRegistryUrl })
  world = await startWorld({
    KAFKA_BROKERS: stack.kafkaBrokers,
    INGEST_PORT: String(await freePort()),
    // Low, to keep the test short.
    PRODUCE_TIMEOUT_MS: '2000',
  })
  ingest = world.ingest
  const account = await signUp(world.auth.url)
  await account.contract('clickstream')
  const stream = await account.input('in')
  const plan: LoadPlan = {
    producer: {
      authUrl: world.auth.url,
      ingestUrl: world.ingest.url,
      billingId: account.billingId,
      clientId: stream.clientId,
      clientSecret: stream.clientSecret,
      contract: { id: 'clickstream', schema: (await exampleContract('clickstream'))['schema'] },
      requestTimeoutMs: 4_000,
      ...buffer,
    },
    event: { ...(await exampleEvent('clickstream')), svcMeta: { consentLevels: [0] } },
    eventsPerSecond,
    file: join(folder, 'outcomes.json'),
  }
  await sendThroughOutages(plan)
  outcomes = JSON.parse(await readFile(plan.file, 'utf8')) as LoadOutcome[]
  timesStored = await numbersIn(stream.topic)
}, 400_000)

afterAll(async () => {
  await world?.stop()
  await stack?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function sendThroughOutages(plan: LoadPlan): Promise<void> {
  const child = fork(join(import.meta.dirname, 'fixtures/load.ts'), [JSON.stringify(plan)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  child.on('message', (told) => (last = told as LoadProgress))
  const ended = once(child, 'exit')
  try {
    await storesMore()
    await ingest.kill()
    await delay(outageMs)
    ingest = await world.replica('ingest')
    await storesMore()

    await stack.killBroker()
    await delay(outageMs)
    await stack.restartBroker()
    await storesMore()

    process.kill(ingest.pid, 'SIGSTOP')
    await delay(outageMs * 2)
    process.kill(ingest.pid, 'SIGCONT')
    await storesMore()
    peakBytes = await peakResidentBytes(child.pid ?? 0)
  } finally {
    child.kill('SIGTERM')
  }
  await withTimeout(ended, deadlineMs, 'every event having its outcome').finally(() =>
    child.kill('SIGKILL'),
  )
}

/** Waits until the events of two more seconds are stored. */
async function storesMore(): Promise<void> {
  const before = last?.stored ?? 0
  await pollUntil(() => (last?.stored ?? 0) >= before + 2 * eventsPerSecond, {
    deadlineMs,
    what: 'events stored again',
  })
}

/** Returns how often the topic contains each event. */
async function numbersIn(topic: string): Promise<Map<number, number>> {
  const compiled = await compiledExample('clickstream')
  const reader = createTopicReader(world.env)
  const times = new Map<number, number>()
  for (const record of await reader.read(topic)) {
    const number = Number(textIn(plainEvent(compiled, record), 'url').split('/').at(-1))
    times.set(number, (times.get(number) ?? 0) + 1)
  }
  await reader.close()
  return times
}

const numbersOf = (wanted: LoadOutcome): number[] =>
  outcomes.flatMap((outcome, number) => (outcome === wanted ? [number] : []))

test('every event whose send resolved is stored', () => {
  const stored = numbersOf('stored')
  expect(stored.length).toBeGreaterThan(8 * eventsPerSecond)
  expect(stored.filter((number) => !timesStored.has(number))).toEqual([])
})

test('no event that was rejected for good is stored, and those are the ones that break a rule', () => {
  const rejected = numbersOf('rejected')
  expect(rejected.length).toBeGreaterThan(eventsPerSecond / 10)
  expect(rejected.filter((number) => timesStored.has(number))).toEqual([])
  expect(rejected).toEqual(outcomes.flatMap((_, number) => (number % 50 === 7 ? [number] : [])))
})

test('the outages cost no event: each has its outcome, and all that could be stored are', () => {
  expect(numbersOf('stored').length + numbersOf('rejected').length).toBe(outcomes.length)
  expect(last.retries).toBeGreaterThan(0)
})

test('the buffer was never above its bounds, though nobody waited for each event, nor was the memory', () => {
  expect(last.eventsMax).toBeLessThanOrEqual(buffer.bufferEventsMax)
  // The last accepted event may be larger than the remaining room.
  expect(last.bytesMax).toBeLessThan(buffer.bufferBytesMax + 1_024)
  expect(last.eventsMax).toBeGreaterThan(buffer.bufferEventsMax / 2)
  expect(peakBytes).toBeLessThan(residentBytesMax)
})
