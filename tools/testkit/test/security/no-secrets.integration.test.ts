// No service leaks a secret in its log, metrics, health, or the bodies of refusals. The test causes all successes and
// failures, with unique values. Then it searches all these texts for every value. Only the spec's sentence about a
// validation may show the value to its sender.
import { connect } from 'node:net'
import { readFile } from 'node:fs/promises'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBatchProducer } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import WebSocket from 'ws'

import {
  account as accountAt,
  asObject,
  signUp,
  exampleContracts,
  expectStatus,
  freshName,
  request,
  textIn,
} from '../../src/world/account.ts'
import type { Account, Reply, TestStream } from '../../src/world/account.ts'
import { listen } from '../../src/world/listener.ts'
import { readMetrics } from '../../src/world/metrics.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Producer } from '../../src/world/producer.ts'
import { kekFileOf, setting, startWorld } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { createTopicReader } from '../../src/world/topic.ts'
import type { TopicReader } from '../../src/world/topic.ts'
import { createWitness } from '../../src/world/witness.ts'
import { forged, names, sendBadEvents, sendGoodEvents, sendOtherwise } from './no-secrets/events.ts'
import type { Run } from './no-secrets/events.ts'

const levels = { consentLevels: [1] }

const witness = createWitness()
const refusals: string[] = []

let world: World
let account: Account
let producer: Producer
let reader: TopicReader
let input: TestStream
let derived: TestStream
const run = (): Run => ({ witness, refusals, account, producer, derived })

beforeAll(async () => {
  world = await startWorld({ LOG_LEVEL: 'debug' })
  reader = createTopicReader(world.env)
  producer = await connectProducer(world.ingest.url)
  for (const line of (await readFile(kekFileOf('auth'), 'utf8')).trim().split('\n'))
    witness.knows('a key-encryption key', line.trim().split(/\s+/)[2] ?? '')
  witness.knows('the platform key', setting('PLATFORM_KEY'))
  account = await signUp(world.auth.url)
  witness.knows('the API key', account.apiKey)
  await account.contracts()
  input = witnessed('an input', await account.input(freshName('s')))
  derived = witnessed('a derived stream', await account.output(input.name, freshName('o'), levels))
})

afterAll(async () => {
  producer?.close()
  await reader?.close()
  await world?.stop()
})

function witnessed(what: string, stream: TestStream): TestStream {
  witness.knows(`the secret of ${what}`, stream.clientSecret)
  return stream
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
    ['/refresh', { refreshToken: forged(run(), token) }],
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
  const bad = [
    forged(run(), token),
    witness.newValue('a made-up listening token').replace(/\W/g, ''),
  ]
  for (const each of bad) await expect(listen(world.output.url, each)).rejects.toThrow('401')
}

/** Sends text that isn't HTTP, or incomplete HTTP, to every port. */
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

/** Writes an invalid record to an input topic, and waits until deriver and listener have logged this. */
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
  await pollUntil(bothTold, { deadlineMs: 60_000, what: 'a word on the poisoned stream' })
  watcher.close()
  await kafkaProducer.close()
  expectStatus(await account.call('DELETE', `/v2/streams/${stream.name}?recursive=true`), 200)
}

test('no value of the run is in a log, a metric, a check of health or a refusal', async () => {
  expect(Object.values(exampleContracts)).toEqual(names)
  const token = await getTokens(input)
  await failToGetTokens(input, token)
  await watch(token, () => sendGoodEvents(run(), token))
  await sendBadEvents(run(), token)
  await sendOtherwise(run(), token)
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
