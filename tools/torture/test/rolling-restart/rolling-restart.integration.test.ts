// Replaces all replicas of all services one by one, as Kubernetes does, while producers send events, teams read them,
// and people manage streams. No request breaks off, 503 is the only refusal, and watchers get a code that tells them to
// reconnect. Every record is in its topic exactly once.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service, ServiceName } from '@weir/devstack'
import { createKafka } from '@weir/kafka'
import { delay, pollUntil } from '@weir/kit'
import { signUp, exampleContracts, freshName, kafkaBrokers, startWorld } from '@weir/testkit'
import type { Account, World } from '@weir/testkit'
import { pino } from 'pino'
import { checkWorld } from '../../src/check/check-world.ts'
import { createViolations } from '../../src/check/violations.ts'
import { loadKinds } from '../../src/events.ts'
import type { Kind } from '../../src/events.ts'
import { createLedger } from '../../src/ledger.ts'
import { createPeople } from '../../src/people.ts'
import { startLoad } from '../../src/load/load.ts'
import type { LoadDeps } from '../../src/load/load.ts'
import { createRandom } from '../../src/random.ts'
import { createStreams } from '../../src/streams.ts'
import type { TestInput } from '../../src/streams.ts'
import { createTestOutput } from '../../src/world/make-streams.ts'
import { openTopics } from '../../src/world/topics.ts'
import type { Topics } from '../../src/world/topics.ts'
import { startBalancer } from './balancer.ts'
import type { Balancer } from './balancer.ts'
import { createHttp1Sender, keepAsking, keepWatching, meet } from './clients.ts'
import type { Met, Running } from './clients.ts'
import { endPod } from './pods.ts'

const names = ['auth', 'ingest', 'output'] as const
const size = { lanesOfEachStream: 3, personsOfEachLane: 4, requestsASecondOfEachLane: 10 }
const warmMs = 2_000

let world: World
let balancers: Readonly<Record<ServiceName, Balancer>>
const pods: Service[] = []
let kinds: readonly Kind[]
let account: Account
let topics: Topics
const tokens = new Map<string, string>()
let streams: ReturnType<typeof createStreams>

beforeAll(async () => {
  world = await startWorld({ KAFKA_PREFIX: '', DECRYPTER_NAMES: freshName('rolling') })
  balancers = {
    auth: await startBalancer(),
    ingest: await startBalancer(),
    output: await startBalancer(),
  }
  await startPods([world.auth, world.ingest, world.output])
  await startPods(await Promise.all(names.map((name) => world.replica(name))))
  kinds = await loadKinds()
  account = await signUp(balancers.auth.url)
  for (const { name } of kinds) await account.contract(exampleContracts[name])
  const log = pino({ level: 'silent' })
  const kafka = createKafka({ brokers: kafkaBrokers(), clientId: 'rolling-restart', log })
  topics = openTopics(kafka, Number(kafkaBrokers()[0]?.split(':')[1]))
  streams = createStreams(await Promise.all(['over-http2', 'over-http1'].map(makeInput)))
  for (const input of streams.inputs) await makeOutputs(input)
}, 180_000)

afterAll(async () => {
  await topics?.close()
  await Promise.all(names.map((name) => balancers?.[name].close()))
  await world?.stop()
})

async function startPods(replicas: readonly Service[]): Promise<void> {
  await Promise.all(replicas.map((replica) => balancers[replica.name].add(replica)))
  pods.push(...replicas)
}

async function makeInput(name: string): Promise<TestInput> {
  const shape = { partitions: 2, rotationHours: 24 }
  const stream = await account.input(name, shape)
  tokens.set(name, await account.token(stream))
  return { name, topic: stream.topic, ...shape }
}

async function makeOutputs(input: TestInput): Promise<void> {
  const decrypterName = world.env['DECRYPTER_NAMES'] ?? ''
  const own: Account = {
    ...account,
    call: (method, path, body) =>
      account.call(method, path, method === 'POST' ? { ...Object(body), decrypterName } : body),
  }
  const deps = { topics, streams, account: () => own }
  for (const level of [0, 2])
    await createTestOutput(deps, {
      name: `${input.name}-${level}`,
      input,
      levels: { type: 'CUMULATIVE', levels: [level] },
      from: 'earliest',
    })
}

/** Replaces all pods in two waves: starts the replacements of a wave, then ends its old pods one by one. */
async function rollAll(): Promise<number[]> {
  const old = pods.splice(0)
  const codes: number[] = []
  for (const wave of [old.slice(0, names.length), old.slice(names.length)]) {
    await startPods(await Promise.all(wave.map(({ name }) => world.replica(name))))
    for (const pod of wave) codes.push(await endPod(balancers[pod.name], pod))
  }
  return codes
}

const ledger = createLedger()
const sent: Met = new Map()
const called: Met = new Map()
const watched: Met = new Map()

function sendOver(stream: string, more: Partial<LoadDeps>): Running {
  return startLoad(
    {
      kinds,
      ledger,
      random: createRandom(stream.length),
      inputs: streams.inputs.filter(({ name }) => name === stream),
      addresses: [() => balancers.ingest.url],
      token: (name) => tokens.get(name) ?? '',
      renew: async () => {},
      onStored: () => {},
      onAnswer(answer, isWrong) {
        meet(sent, `${isWrong ? 'wrong: ' : ''}${answer?.status ?? 'broke off'}`)
      },
      ...more,
    },
    size,
  )
}

async function startEverything(): Promise<Running[]> {
  const json = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' }
  const stream = await account.input('credentials')
  const { clientId, clientSecret } = stream
  const secrets = JSON.stringify({ billingId: account.billingId, clientId, clientSecret })
  const credentials = '/v2/streams/credentials/credentials'
  const lag = '/v2/streams/over-http2/outputs/over-http2-0/lag'
  return [
    sendOver('over-http2', {}),
    sendOver('over-http1', { sender: (address) => createHttp1Sender(sent, address) }),
    keepAsking(balancers.auth.url, called, () => ({
      method: 'POST',
      path: '/auth',
      headers: json,
      body: secrets,
    })),
    keepAsking(balancers.auth.url, called, () => ({
      method: 'GET',
      path: '/v2/streams',
      headers: json,
    })),
    // Creates and deletes credentials in turn.
    keepAsking(balancers.auth.url, called, (last) => {
      const made = last !== undefined && 'status' in last && last.status === 201
      const id = made ? /"clientId":"([0-9a-f-]{36})"/.exec(last.body)?.[1] : undefined
      if (id !== undefined) return { method: 'DELETE', path: `${credentials}/${id}`, headers: json }
      return { method: 'POST', path: credentials, headers: json, body: '{}' }
    }),
    keepAsking(balancers.output.url, called, () => ({ method: 'GET', path: lag, headers: json })),
    ...[...tokens.values()].map((token) => keepWatching(balancers.output.url, watched, token)),
  ]
}

async function underLoad<Result>(work: () => Promise<Result>): Promise<Result> {
  const running = await startEverything()
  try {
    await delay(warmMs)
    const result = await work()
    await delay(warmMs)
    return result
  } finally {
    await Promise.all(running.map(({ stop }) => stop()))
  }
}

async function untilDerived(): Promise<void> {
  for (const { groupId, input, start } of streams.derived()) {
    const ends = await topics.ends(input.topic)
    const isDone = async () => {
      const committed = await topics.admin.groups.committedOffsets(groupId, input.topic)
      return ends.every((end, at) => (committed[at] ?? start[at]?.latest ?? 0n) >= end)
    }
    await pollUntil(isDone, { deadlineMs: 60_000, everyMs: 200, what: `deriving ${groupId}` })
  }
}

const unexpected = (met: Met, expected: RegExp): string[] =>
  [...met].filter(([what]) => !expected.test(what)).map(([what, count]) => `${count} × ${what}`)

test('nobody notices that all replicas are replaced, but for a 503 and a goodbye', async () => {
  const codes = await underLoad(rollAll)

  expect(unexpected(sent, /^(20[04]|503|wrong: (40[01]|503))$/)).toEqual([])
  expect(unexpected(called, / (20[01]|503)$/)).toEqual([])
  expect(unexpected(watched, /^(open|closed 1012|Unexpected server response: 503)$/)).toEqual([])
  expect(watched.get('closed 1012') ?? 0).toBeGreaterThan(0)
  expect(names.map((name) => balancers[name].unserved())).toEqual([0, 0, 0])
  expect(codes).toEqual([0, 0, 0, 0, 0, 0])

  await untilDerived()
  const violations = createViolations()
  const checked = await checkWorld({
    kinds,
    ledger,
    people: createPeople(ledger),
    streams,
    topics,
    violations,
    losses: [],
  })
  expect(violations.shown()).toEqual([])
  expect(ledger.counts().acknowledged).toBeGreaterThan(300)
  expect(checked.derivedRecords).toBeGreaterThan(300)
}, 300_000)
