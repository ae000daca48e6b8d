// Nothing secret leaves a service by its back doors: log, metrics, health, the bodies of refusals. One run
// with everything that goes right and wrong, each value in it unique; then every one of them is looked for.
// The one exception is the spec's sentence about a validation, which shows the value to whoever sent it.
import { connect } from 'node:net'
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBatchProducer } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import WebSocket from 'ws'

import {
  account as accountAt,
  asObject,
  createAccount,
  exampleContracts,
  exampleEvent,
  expectStatus,
  freshName,
  request,
  textIn,
} from '../../src/world/account.ts'
import type { Account, ExampleContract, Reply, TestStream } from '../../src/world/account.ts'
import { listen } from '../../src/world/listener.ts'
import { readMetrics } from '../../src/world/metrics.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Answer, Producer } from '../../src/world/producer.ts'
import { kekFileOf, setting, startWorld } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, createTopicReader } from '../../src/world/topic.ts'
import type { TopicReader } from '../../src/world/topic.ts'
import { createWitness } from '../../src/world/witness.ts'

const names = [
  'clickstream',
  'demo_v1',
  'nps_unified_v1',
  'partner_nps_unified_v1',
  'demo_event',
] as const satisfies ExampleContract[]
const schemaIdOf = (name: ExampleContract) => (name === 'demo_event' ? 'demo/event/1.0.0' : name)

// Streams of other tests on this broker are none of these services' business.
const decrypterName = freshName('secrets')
const levels = { consentLevels: [1], decrypterName }

const witness = createWitness()
/** Every refusal of the run, but for the sentences about validations. */
const refusals: string[] = []

let world: World
let account: Account
let producer: Producer
let reader: TopicReader
let input: TestStream
let derived: TestStream

beforeAll(async () => {
  world = await startWorld({ LOG_LEVEL: 'debug', DECRYPTER_NAMES: decrypterName })
  reader = createTopicReader()
  producer = await connectProducer(world.ingest.url)
  for (const line of (await readFile(kekFileOf('auth'), 'utf8')).trim().split('\n'))
    witness.knows('a key-encryption key', line.trim().split(/\s+/)[2] ?? '')
  witness.knows('the platform key', setting('PLATFORM_KEY'))
  account = await createAccount(world.auth.url)
  witness.knows('the API key', account.apiKey)
  await account.contracts()
  input = witnessed('an input', await account.input(freshName('s')))
  derived = witnessed('a derived stream', await account.output(input.name, freshName('o'), levels))
}, 120_000)

afterAll(async () => {
  producer?.close()
  await reader?.close()
  await world?.stop()
}, 60_000)

function witnessed(what: string, stream: TestStream): TestStream {
  witness.knows(`the secret of ${what}`, stream.clientSecret)
  return stream
}

// --- events ---

/** The event with another text in each of its fields; the envelope is the services' own. */
function withValues(event: Record<string, unknown>, label: string): Record<string, unknown> {
  const entries = Object.entries(event).map(([name, value]): [string, unknown] => {
    if (name === 'svcMeta') return [name, value]
    const made = witness.newValue(`${label}, field ${name}`)
    return [name, replaceTexts(value, name === 'url' ? `https://example.com/${core(made)}` : made)]
  })
  return Object.fromEntries(entries)
}

const core = (made: string): string => /[0-9a-f]{32}/.exec(made)?.[0] ?? ''

function replaceTexts(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, text))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, held]) => [name, replaceTexts(held, text)])
  return Object.fromEntries(entries)
}

const eventOf = async (name: ExampleContract, what: string) =>
  withValues(await exampleEvent(name), `${what} ${name}`)

function noteAnswer({ status, headers, body }: Answer): number {
  if (status >= 400 && headers['svc-error'] !== 'validation_failed')
    refusals.push(`${JSON.stringify(headers)} ${body}`)
  return status
}

async function send(
  body: string | Buffer | object,
  options: Parameters<Producer['send']>[1],
): Promise<number> {
  return noteAnswer(await producer.send(body, options))
}

async function sendGoodEvents(token: string): Promise<number> {
  for (const name of names) {
    const schemaId = schemaIdOf(name)
    expect(await send(await eventOf(name, 'a good'), { token, schemaId })).toBe(204)
    const contract = await compiledExample(name)
    const json = Buffer.from(JSON.stringify(await eventOf(name, 'a good Avro')))
    const avro = contract.encode(contract.readJson(json))
    const zipped = { 'content-encoding': 'gzip' }
    expect(await send(avro, { token, schemaId })).toBe(204)
    expect(await send(gzipSync(avro), { token, schemaId, headers: zipped })).toBe(204)
  }
  return names.length * 3
}

async function sendBadEvents(token: string): Promise<void> {
  for (const name of names) {
    const to = { token, schemaId: schemaIdOf(name) }
    const text = JSON.stringify(await eventOf(name, 'a cut-off'))
    const contract = await compiledExample(name)
    const whole = Buffer.from(JSON.stringify(await eventOf(name, 'a broken Avro')))
    const avro = contract.encode(contract.readJson(whole))
    const withNumber = { ...(await eventOf(name, 'a mistyped')), svcMeta: 1 }
    const svcMeta = { consentLevels: [999] }
    const withLevel = { ...(await eventOf(name, 'an unknown level in')), svcMeta }
    const bodies = [text.slice(0, -9), `${text}}`, avro.subarray(9), avro.subarray(0, -3)]
    for (const body of [...bodies, withNumber, withLevel]) expect(await send(body, to)).toBe(400)
    const nobody = [
      undefined,
      witness.newValue('a made-up token').replace(/\W/g, ''),
      forged(token),
    ]
    for (const bad of nobody) {
      const headers = bad === undefined ? {} : { authorization: `Bearer ${bad}` }
      const event = await eventOf(name, 'an unauthorised')
      expect(await send(event, { schemaId: schemaIdOf(name), headers })).toBe(401)
    }
  }
}

/** Signed by nobody. */
function forged(token: string): string {
  const [head = '', claims = ''] = token.split('.')
  return witness.knows(
    'a forged token',
    `${head}.${claims}.${core(witness.newValue('')).repeat(8)}`,
  )
}

async function sendOtherwise(token: string): Promise<void> {
  const schemaId = 'clickstream'
  const event = async (what: string) => eventOf('clickstream', what)
  const invalid = { ...(await event('an invalid')), url: witness.newValue('a validated url') }
  expect(await send(invalid, { token, schemaId })).toBe(400)
  const huge = { ...(await event('a huge')), referrer: 'x'.repeat(1_100_000) }
  expect(await send(huge, { token, schemaId })).toBe(413)
  const encoding = (name: string) => ({ 'content-encoding': name })
  expect(
    await send(await event('an oddly encoded'), { token, schemaId, headers: encoding('br') }),
  ).toBe(415)
  expect(
    await send(await event('an unzipped'), { token, schemaId, headers: encoding('gzip') }),
  ).toBe(400)
  expect(await send(await event('a contractless'), { token })).toBe(400)
  expect(await send(await event('a strange'), { token, schemaId: 'unknown' })).toBe(400)
  const query = `?token=${token}&key=${witness.newValue('a query').replace(/\W/g, '')}`
  expect(await send(await event('a lost'), { token, schemaId, path: `/events-${query}` })).toBe(404)
  expect(await send('', { token, schemaId, method: 'PUT', path: `/event${query}` })).toBe(405)
  const derivedToken = witness.knows('a derived token', await account.token(derived))
  expect(await send(await event('a misdirected'), { token: derivedToken, schemaId })).toBe(403)
}

// --- tokens and management ---

function noteReply(reply: Reply): Reply {
  if (reply.status >= 400) refusals.push(reply.text)
  return reply
}

async function getTokens(stream: TestStream): Promise<string> {
  const { billingId } = account
  const { clientId, clientSecret } = stream
  const given = expectStatus(
    await account.call('POST', '/auth', { billingId, clientId, clientSecret }),
    200,
  )
  witness.knows('a refresh token', textIn(given.body, 'refreshToken'))
  const again = expectStatus(await account.call('POST', '/refresh', given.body), 200)
  witness.knows('a refreshed token', textIn(again.body, 'idToken'))
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const granted = await fetch(`${world.auth.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  witness.knows('a granted token', textIn(asObject(await granted.json()), 'access_token'))
  return witness.knows('an id token', textIn(given.body, 'idToken'))
}

async function failToGetTokens({ clientId }: TestStream, token: string): Promise<void> {
  const { billingId } = account
  const secret = () => witness.newValue('a wrong secret')
  for (let attempt = 0; attempt < 15; attempt++) {
    const wrong = { billingId, clientId, clientSecret: secret() }
    expect([401, 429]).toContain(noteReply(await account.call('POST', '/auth', wrong)).status)
  }
  const wrongs = [
    ['/auth', { billingId, clientId: freshName('nobody'), clientSecret: secret() }],
    ['/auth', { billingId, clientId, clientSecret: [secret()] }],
    ['/auth', [secret()]],
    ['/refresh', { refreshToken: secret() }],
    ['/refresh', { refreshToken: token }],
    ['/refresh', { refreshToken: forged(token) }],
  ] as const
  for (const [path, body] of wrongs)
    expect([400, 401]).toContain(noteReply(await account.call('POST', path, body)).status)
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret(),
  })
  for (const body of [form, `{"clientSecret": "${secret()}"`, `"${secret()}`]) {
    const refused = await fetch(`${world.auth.url}/${body === form ? 'oauth2/token' : 'auth'}`, {
      method: 'POST',
      body,
    })
    expect(refused.ok).toBe(false)
    refusals.push(await refused.text())
  }
}

async function manage(): Promise<void> {
  const path = `/v2/streams/${input.name}`
  const { body } = expectStatus(await account.call('POST', `${path}/credentials`), 201)
  witness.knows('a further secret', textIn(body, 'clientSecret'))
  const looks = ['/v1/streams', '/v2/account', '/v2/contracts', path, `${path}/outputs`]
  for (const look of looks) refusals.push((await account.call('GET', look)).text)
  const wrong = (what: string) => witness.newValue(what).replace(/\W/g, '')
  const stranger = accountAt(world.auth.url, account.billingId, wrong('a wrong API key'))
  expect(noteReply(await stranger.call('GET', '/v2/streams')).status).toBe(401)
  const asPlatform = request(
    world.auth.url,
    wrong('a wrong platform key'),
    'POST',
    '/v2/accounts',
    {},
  )
  expect(noteReply(await asPlatform).status).toBe(401)
  for (const key of [account.apiKey, setting('PLATFORM_KEY')]) {
    const asSecret = { name: key, clientSecret: key }
    expect(noteReply(await account.call('POST', '/v2/streams', asSecret)).status).toBe(422)
    const lost = `/v2/streams/nothing?apiKey=${key}`
    expect(noteReply(await account.call('GET', lost)).status).toBe(404)
  }
  expectStatus(await account.call('DELETE', `${path}/credentials/${textIn(body, 'clientId')}`), 200)
}

// --- connections ---

async function watch(token: string, count: () => Promise<number>): Promise<void> {
  const derivedToken = witness.knows('a listening token', await account.token(derived))
  const sealed = await listen(world.output.url, token, `/ws?token=${token}`)
  const opened = await listen(world.output.url, derivedToken)
  const url = `${world.output.url.replace('http', 'ws')}/ws`
  const browser = new WebSocket(url, ['weir', `bearer.${derivedToken}`])
  await new Promise((resolve, reject) => browser.once('open', resolve).once('error', reject))
  const sent = await count()
  await sealed.until(sent)
  await opened.until(sent)
  for (const socket of [sealed.socket, opened.socket, browser]) {
    socket.send(witness.newValue('a message of a watcher'))
    socket.close(4000, witness.newValue('a farewell'))
  }
  const bad = [forged(token), witness.newValue('a made-up listening token').replace(/\W/g, '')]
  for (const each of bad) await expect(listen(world.output.url, each)).rejects.toThrow('401')
}

/** What isn't HTTP, or only half, to every port there is. */
async function talkNonsense(): Promise<void> {
  const urls = [world.auth, world.ingest, world.output].flatMap(({ url, adminUrl }) => [
    url,
    adminUrl,
  ])
  for (const url of urls) {
    const secret = witness.newValue('nonsense')
    const texts = [
      `POST /event HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${secret}\r\n bad header\r\n\r\n`,
      `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${secret.repeat(20)}`,
      `GET /${secret} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
      `${secret}\r\n\r\n`,
    ]
    refusals.push(
      ...(await Promise.all(texts.map((text) => talk(Number(new URL(url).port), text)))),
    )
  }
}

function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(text))
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('error', () => {})
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')))
    socket.on('close', () => resolve(heard))
  })
}

/** Records that no ingest wrote, where derivers and watchers read. */
async function poison(): Promise<void> {
  const stream = witnessed('a poisoned stream', await account.input(freshName('p')))
  const output = await account.output(stream.name, freshName('po'), levels)
  const watcher = await listen(world.output.url, await account.token(stream))
  const limits = { produceTimeoutMs: 5_000, inFlightBytesMax: 1_000_000 }
  const kafkaProducer = createBatchProducer(reader.kafka, limits)
  await kafkaProducer.send(stream.topic, 0, {
    key: witness.newValue('a poisonous key'),
    value: Buffer.from(witness.newValue('a poisonous value')),
    headers: { 'svc-schema-id': 'demo_v1', 'svc-key-link': witness.newValue('a poisonous link') },
    timestampMs: Date.now(),
  })
  const isTold = ({ topic }: TestStream) =>
    world.logLines().some((line) => /"level":"(warn|error)"/.test(line) && line.includes(topic))
  const bothTold = () => isTold(stream) && isTold(output)
  await pollUntil(bothTold, { deadlineMs: 20_000, what: 'a word on the poisoned stream' })
  watcher.close()
  await kafkaProducer.close()
  expectStatus(await account.call('DELETE', `/v2/streams/${stream.name}?recursive=true`), 200)
}

test('no value of the run is in a log, a metric, a check of health or a refusal', async () => {
  expect(Object.values(exampleContracts)).toEqual(names)
  const token = await getTokens(input)
  await failToGetTokens(input, token)
  await watch(token, () => sendGoodEvents(token))
  await sendBadEvents(token)
  await sendOtherwise(token)
  await manage()
  await talkNonsense()
  await poison()

  const services = [world.auth, world.ingest, world.output]
  const metrics = await Promise.all(services.map(readMetrics))
  const health = services.map(async ({ adminUrl }) =>
    (await fetch(`${adminUrl}/health/ready`)).text(),
  )
  expect(witness.tracesIn(metrics.join('\n'))).toEqual([])
  expect(witness.tracesIn((await Promise.all(health)).join('\n'))).toEqual([])
  expect(refusals.length).toBeGreaterThan(60)
  expect(witness.tracesIn(refusals.join('\n'))).toEqual([])

  await world.stop()
  const lines = world.logLines()
  for (const service of ['auth', 'ingest', 'output'])
    expect(
      lines.filter((line) => line.includes('"debug"') && line.includes(`"${service}"`)),
    ).not.toEqual([])
  expect(lines.filter((line) => witness.tracesIn(line).length > 0)).toEqual([])
}, 180_000)
