// An erased person's values become unreadable in a data lake, too: in the topic of an output whose readers decrypt, in
// a Parquet file of `weir export`, and in all snapshots of an Iceberg table. No file changes. The test prints times and
// sizes.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { asObject, connectProducer, exampleEvent, expectStatus, scale, textIn } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { startAnalystsWorld } from '../../../../clients/node/test/reading/analysts.ts'
import type { AnalystsWorld } from '../../../../clients/node/test/reading/analysts.ts'
import { reachedAt } from '../../src/world/account.ts'
import { runProgram } from '../../src/world/run-program.ts'
import { startPython } from './run-python.ts'
import type { PythonProgram } from './run-python.ts'

const people = scale(1_000_000, 2_000)
const eventsAtOnce = 500
const requestsAtOnce = 4
const keyMaxAgeSeconds = 30
const schemaId = 'clickstream'
const soon = { deadlineMs: 600_000, everyMs: 500 }
const weir = join(import.meta.dirname, '../../../../clients/cli/bin/weir.js')

let world: AnalystsWorld
let input: TestStream
let output: TestStream
let folder: string
let lake: PythonProgram
let links: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-lake-'))
  world = await startAnalystsWorld()
  const { account } = world
  await account.contract(schemaId)
  const limits = { eventRate: '999999999', eventCount: '999999999999' }
  input = await account.input('clicks', { limits })
  const forReaders = { decryptAt: 'reader', keyMaxAgeSeconds }
  output = await account.output('clicks', 'lake', { consentLevels: [1], ...forReaders })
  await world.untilReadable(world.optionsOf(output, output.topic))
  await timed('sent', sendAll)
  await timed('derived', untilDerived)
  await timed('exported', exportAll)
  lake = startPython('lake.py')
  await timed('copied to Iceberg', async () => {
    const opened = {
      do: 'open',
      file: fileOf(),
      folder,
      topic: output.topic,
      kafka: kafkaSettings(),
    }
    links = listOf(await lake.ask({ ...opened, options: readerOptions() })).map(String)
  })
}, 1_800_000)
afterAll(async () => {
  lake?.close()
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

const fileOf = (): string => join(folder, 'lake.parquet')

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startedMs = performance.now()
  const result = await work()
  say(`${what} in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`)
  return result
}

const say = (figures: string): void => void process.stdout.write(`${people} people: ${figures}\n`)

/** Sends one event of each person. */
async function sendAll(): Promise<void> {
  const example = await exampleEvent(schemaId)
  const token = await world.account.token(input)
  const producer = await connectProducer(world.ingest.url)
  const headers = { 'content-type': 'application/x-ndjson' }
  let next = 0
  const sendInTurn = async (): Promise<void> => {
    while (next < people) {
      const first = next
      const count = Math.min(eventsAtOnce, people - first)
      next += count
      const lines = Array.from({ length: count }, (_, index) => {
        const [producerSessionId, id] = personalOf(first + index)
        return JSON.stringify({ ...example, producerSessionId, customer: { id } })
      })
      const options = { token, schemaId, path: '/events', headers }
      const { status, body } = await producer.send(lines.join('\n'), options)
      expect([status, body]).toEqual([200, `{"accepted":${count},"rejected":[]}`])
    }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, sendInTurn))
  producer.close()
}

const personalOf = (person: number): [string, string] => [`session-${person}`, `customer-${person}`]

async function untilDerived(): Promise<void> {
  const path = '/v2/streams/clicks/outputs/lake/lag'
  const isDerived = async (): Promise<boolean> =>
    expectStatus(await world.account.at(world.output.url).call('GET', path), 200).body['lag'] === 0
  await pollUntil(isDerived, { ...soon, what: 'all events are derived' })
}

async function exportAll(): Promise<void> {
  const { clientId, clientSecret } = output
  const env = {
    PATH: process.env['PATH'],
    WEIR_CONFIG: join(folder, 'profile.json'),
    WEIR_AUTH_URL: world.auth.url,
    WEIR_ANALYST_BROKERS: world.brokers,
    WEIR_BILLING_ID: world.account.billingId,
    WEIR_CLIENT_ID: clientId,
    WEIR_CLIENT_SECRET: clientSecret,
  }
  const { code, complaint } = await runProgram([weir, 'export', 'lake', fileOf()], { env })
  expect([code, complaint]).toEqual([
    0,
    expect.stringContaining(`${inWords(people)} events of lake`),
  ])
}

const inWords = (count: number): string => count.toLocaleString('en-US')

const readerOptions = () => ({
  auth_url: world.auth.url,
  output_url: world.output.url,
  billing_id: world.account.billingId,
  client_id: output.clientId,
  client_secret: output.clientSecret,
})

const kafkaSettings = () => ({
  'bootstrap.servers': world.brokers,
  'security.protocol': 'SASL_PLAINTEXT',
  'sasl.mechanism': 'OAUTHBEARER',
  'sasl.oauthbearer.method': 'oidc',
  'sasl.oauthbearer.token.endpoint.url': `${world.auth.url}/oauth2/token`,
  'sasl.oauthbearer.client.id': output.clientId,
  'sasl.oauthbearer.client.secret': output.clientSecret,
  'group.id': output.clientId,
})

/** Returns the sample's personal fields in each place. The kept reader keeps keys between calls. */
async function look(reader: 'new' | 'kept'): Promise<Record<string, unknown>> {
  const { places, seconds } = asObject(await lake.ask({ do: 'look', isKept: reader === 'kept' }))
  say(`seconds of a ${reader} reader: ${JSON.stringify(seconds)}`)
  return asObject(places)
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Returns what each place must contain. `sample` is in the order of the file. */
function placesOf(sample: readonly (readonly [link: string, fields: unknown])[]) {
  const whole = { rows: people, people: Object.fromEntries(sample) }
  const half = sample.slice(0, sample.length / 2)
  return {
    topic: whole,
    parquet: whole,
    iceberg: whole,
    'snapshot 1': { rows: people / 2, people: Object.fromEntries(half) },
    'snapshot 2': whole,
    'snapshot 3': { rows: 0, people: {} },
    'snapshot 4': whole,
  }
}

async function erase(person: string): Promise<Record<string, unknown>> {
  const { account } = world
  const search = await account.call('POST', '/v2/people/search', { value: person })
  const searchId = textIn(expectStatus(search, 202).body, 'searchId')
  const isDone = async (): Promise<boolean> => {
    const { body } = await account.call('GET', `/v2/people/searches/${searchId}`)
    return body['state'] === 'done'
  }
  await timed('person found', () => pollUntil(isDone, { ...soon, what: 'the search' }))
  const path = '/v2/streams/clicks/erasures'
  const erasure = expectStatus(await account.call('POST', path, { searchId }), 201)
  const applied = async () => {
    const { body } = await account.call('GET', `${path}/${textIn(erasure.body, 'id')}`)
    return reachedAt(body, 'applied') === undefined ? undefined : body
  }
  return timed('applied', () => pollUntil(applied, { ...soon, what: 'an erasure that is applied' }))
}

test('after an erasure nobody can decrypt the fields of this person in any copy or snapshot, those of others can be decrypted, and no file has changed', async () => {
  const before = asObject(asObject((await look('new'))['parquet'])['people'])
  const sample = links.map((link) => [link, before[link]] as const)
  const numbers = sample.map(([, fields]) => Number(/\d+/.exec(String(fields))?.[0]))
  expect(new Set(numbers).size).toBe(100)
  expect(sample.map(([, fields]) => fields)).toEqual(numbers.map(personalOf))
  expect(await look('kept')).toEqual(placesOf(sample))
  const files = await lake.ask({ do: 'hash' })

  const askedAtMs = Date.now()
  expect(await look('new')).toEqual(placesOf(sample))
  const chosen = 10
  const [person] = personalOf(numbers[chosen] ?? 0)
  const erasure = await erase(person)
  const keysAgeMs = Date.parse(reachedAt(erasure, 'applied') ?? '') - askedAtMs
  expect(keysAgeMs).toBeGreaterThanOrEqual(keyMaxAgeSeconds * 1_000)

  const erased = { encrypted: 'erased' }
  const left = placesOf(sample.with(chosen, [links[chosen] ?? '', [erased, erased]]))
  expect(await look('new')).toEqual(left)
  expect(await look('kept')).toEqual(left)
  expect(await lake.ask({ do: 'hash' })).toEqual(files)
  const sizes = Object.values(asObject(files)).map((file) => Number(listOf(file)[0]))
  const [exported = 0, ...table] = sizes
  const tableBytes = table.reduce((a, b) => a + b)
  say(`unchanged: Parquet ${exported} bytes, Iceberg ${table.length} files, ${tableBytes} bytes`)
}, 1_800_000)
