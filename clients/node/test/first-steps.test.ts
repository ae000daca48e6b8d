// Which errors a program gets for mistakes, in a project that has only installed the package. No service runs.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { exampleContract, exampleEvent } from '@weir/testkit'
import { createProject } from './fixtures/project.ts'
import type { Project, Ran } from './fixtures/project.ts'

const before = `
import * as weir from '@weir/client'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
const { contract, event } = JSON.parse(readFileSync('example.json', 'utf8'))
const nowhere = 'http://127.0.0.1:9'
const credentials = { authUrl: nowhere, billingId: 'demo', clientId: 'client', clientSecret: 'a-secret' }
const sending = { ...credentials, ingestUrl: nowhere, contract }
const producers = []
async function tell(call) {
  try {
    await call()
  } catch ({ name, code, message, cause }) {
    console.log([name, code, message, cause?.code].filter((each) => each !== undefined).join('|'))
  }
}
`

let project: Project
beforeAll(async () => {
  project = await createProject()
  const event = { ...(await exampleEvent('clickstream')), svcMeta: { consentLevels: [0] } }
  const contract = await exampleContract('clickstream')
  await project.write('example.json', JSON.stringify({ contract, event }))
})
afterAll(() => project?.remove())

async function runLines(...lines: readonly string[]): Promise<Ran> {
  await project.write('program.mjs', [before, ...lines].join('\n'))
  return project.run(process.execPath, 'program.mjs')
}

async function firstErrorLine(...lines: readonly string[]): Promise<string> {
  await project.write('program.mjs', [before, ...lines].join('\n'))
  const running = spawn(process.execPath, ['program.mjs'], { cwd: project.folder })
  try {
    for await (const line of createInterface(running.stderr)) return line
    return ''
  } finally {
    running.kill()
  }
}

test('a misspelt field of an event is named, as ingest names it', async () => {
  const { stdout } = await runLines(
    'const producer = weir.createProducer(sending)',
    "await tell(() => producer.send({ ...event, convresion: 'alice' }))",
    "await tell(() => producer.send({ ...event, customer: { id: 'x', nmae: 'alice' } }))",
    "await tell(() => producer.send({ ...event, 'alice@example.com': true }))",
    'await producer.close()',
  )
  expect(stdout.split('\n')).toEqual([
    "RejectedError|invalid_event|Field 'convresion' is not in the schema",
    "RejectedError|invalid_event|Field 'customer/nmae' is not in the schema",
    'RejectedError|invalid_event|The event has a field that is not in the schema',
    '',
  ])
})

const refused = "can't be reached at http://127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9"

test('a wrong port is on standard error at the first attempt, long before the event is given up', async () => {
  const line = await firstErrorLine(
    'const producer = weir.createProducer(sending)',
    'await producer.send(event)',
  )
  expect(line).toBe(`@weir/client: auth ${refused}. It keeps trying, each event for 120 s.`)
})

test('onRetry gets each failed attempt with its cause, and the last error has the same', async () => {
  const { stdout, stderr } = await runLines(
    'const { port } = await new Promise((resolve) => {',
    '  const server = createServer((_, response) => response.end(\'{"idToken":"a","expiresAt":9999999999}\'))',
    "  server.listen(0, '127.0.0.1', () => resolve(server.unref().address()))",
    '})',
    'for (const authUrl of [nowhere, `http://127.0.0.1:${port}`]) {',
    '  const retry = await new Promise((resolve) => {',
    '    const producer = weir.createProducer({ ...sending, authUrl, onRetry: resolve, onError: () => undefined })',
    '    void tell(() => producer.send(event))',
    '    producers.push(producer)',
    '  })',
    '  console.log(retry.trouble, retry.cause.code, retry.events)',
    '  await producers.pop().close({ deadlineMs: 0 })',
    '}',
  )
  const closed = 'UndeliveredError|closed|The producer was closed before there was an answer'
  expect(stdout.split('\n')).toEqual([
    `auth ${refused} ECONNREFUSED 1`,
    `${closed}: auth ${refused}|ECONNREFUSED`,
    `ingest ${refused} ECONNREFUSED 1`,
    `${closed}: ingest ${refused}|ECONNREFUSED`,
    '',
  ])
  expect(stderr).toBe('')
})

test('an event that is given up says why, with the cause', async () => {
  const { stdout } = await runLines(
    'const producer = weir.createProducer({ ...sending, sendTimeoutMs: 1_000 })',
    'await tell(() => producer.send(event))',
    'await producer.close()',
  )
  expect(stdout).toBe(
    `UndeliveredError|timed_out|The event wasn't stored in time: auth ${refused}|ECONNREFUSED\n`,
  )
})

test('a listener with a wrong port says so, too, and keeps trying', async () => {
  const lines = ['const listener = weir.createListener({ ...credentials, outputUrl: nowhere })']
  expect(await firstErrorLine(...lines, 'await listener.ready()')).toBe(
    `@weir/client: auth ${refused}. It keeps trying.`,
  )
})

test('a listener that is closed before it is connected says so', async () => {
  const { stdout } = await runLines(
    'const listener = weir.createListener({ ...credentials, outputUrl: nowhere })',
    'listener.close()',
    'await tell(() => listener.ready())',
  )
  expect(stdout).toBe('ReadError|closed|The listener is closed\n')
})

test('a contract cannot be loaded from a wrong port, and the error says why', async () => {
  const { stdout } = await runLines(
    "await tell(() => weir.loadContract({ authUrl: nowhere, apiKey: 'a', id: 'clickstream' }))",
  )
  expect(stdout).toBe(`ReadError|unreachable|auth ${refused}|ECONNREFUSED\n`)
})

test('a missing option is named, with what it looks like', async () => {
  const { stdout } = await runLines(
    'await tell(() => weir.createProducer())',
    'await tell(() => weir.createProducer({ ...sending, contract: undefined }))',
    'await tell(() => weir.createProducer({ ...sending, contract: { schema: {} } }))',
    "await tell(() => weir.createProducer({ ...sending, contract: './contracts/x.json' }))",
    'await tell(() => weir.createProducer({ ...sending, contract: JSON.stringify({ id: 7 }) }))',
    "await tell(() => weir.createListener({ ...credentials, outputUrl: 'localhost:8083' }))",
    'await tell(() => weir.createTokenSource({ ...credentials, clientSecret: 7 }))',
    'await tell(() => weir.loadContract({ authUrl: nowhere }))',
    "await tell(() => weir.openTopic({ brokers: '127.0.0.1:9094' }))",
    "await tell(() => weir.openTopic({ brokers: ['http://127.0.0.1:9094'] }))",
    'const decrypter = weir.createDecrypter({ ...credentials, outputUrl: nowhere })',
    'await tell(() => decrypter.decrypt(event))',
    'await tell(() => decrypter.decrypt([event]))',
  )
  const contract =
    "the content of a contract file (an object with id and schema), or a schema id such as 'clickstream'"
  expect(stdout.split('\n')).toEqual([
    'TypeError|createProducer needs an object with options',
    `TypeError|createProducer: the option contract is missing. It must be ${contract}`,
    `TypeError|createProducer: contract must be ${contract}`,
    `TypeError|createProducer: contract must be ${contract}; this looks like the name of a file, which this function does not read`,
    `TypeError|createProducer: contract must be ${contract}; this looks like JSON that is not parsed`,
    "TypeError|createListener: outputUrl must be the address of output, such as 'http://127.0.0.1:8083'",
    "TypeError|createTokenSource: clientSecret must be the secret of the stream's credentials, a string",
    'TypeError|loadContract: the option apiKey is missing. It must be an API key of the account, a string',
    "TypeError|openTopic: brokers must be a list of Kafka's addresses, such as ['127.0.0.1:9094']",
    "TypeError|openTopic: brokers must be a list of Kafka's addresses, such as ['127.0.0.1:9094']",
    'TypeError|decrypt needs a list of { headers, event }',
    'ReadError|unreadable|An event has not both headers of its record: svc-key-link, 16 bytes or a UUID, and svc-time, in milliseconds; give { headers, event }',
    '',
  ])
})

test('an unknown option is named with the one that was meant, in every object of options', async () => {
  const { stdout } = await runLines(
    'const producer = weir.createProducer(sending)',
    'await tell(() => weir.createProducer({ ...sending, sendTimeout: 1 }))',
    'await tell(() => weir.createProducer({ ...sending, colour: 1 }))',
    'await tell(() => producer.close({ deadlineMS: 1 }))',
    'await tell(() => weir.createListener({ ...credentials, outputUrl: nowhere, onGaps: 1 }))',
    'await tell(() => weir.createTokenSource({ ...credentials, clientid: 1 }))',
    "await tell(() => weir.loadContract({ authUrl: nowhere, apikey: 'a', id: 'b' }))",
    "const topic = { brokers: ['127.0.0.1:9094'], topic: 'a.b', groupId: 'b' }",
    'await tell(() => weir.openTopic({ ...topic, tsl: true }))',
    'await tell(() => weir.openTopic({ ...topic, tls: { cas: true } }))',
    'await tell(() => weir.openTopic(topic, { from: 1 }))',
    'await producer.close()',
  )
  expect(stdout.split('\n')).toEqual([
    'TypeError|createProducer: unknown option sendTimeout. Did you mean sendTimeoutMs?',
    'TypeError|createProducer: unknown option colour',
    'TypeError|close: unknown option deadlineMS. Did you mean deadlineMs?',
    'TypeError|createListener: unknown option onGaps. Did you mean onGap?',
    'TypeError|createTokenSource: unknown option clientid. Did you mean clientId?',
    'TypeError|loadContract: unknown option apikey. Did you mean apiKey?',
    'TypeError|openTopic: unknown option tsl. Did you mean tls?',
    'TypeError|openTopic: tls: unknown option cas. Did you mean ca?',
    'TypeError|openTopic: unknown option from. Did you mean fromMs?',
    '',
  ])
})

test('a token or an API key in the place of another secret is told what it looks like', async () => {
  const { stdout } = await runLines(
    "const jwt = (aud) => `eyJhIjoxfQ.${Buffer.from(JSON.stringify({ aud })).toString('base64url')}.c2ln`",
    "const apiKey = `weir_${'a'.repeat(43)}`",
    "for (const clientSecret of [jwt('weir-refresh'), jwt('weir'), apiKey])",
    '  await tell(() => weir.createProducer({ ...sending, clientSecret }))',
    'await tell(() => weir.createListener({ ...credentials, idToken: jwt() }))',
    "const topic = { brokers: ['127.0.0.1:9094'], topic: 'a.b', groupId: 'b' }",
    "await tell(() => weir.openTopic({ ...topic, token: jwt('weir') }))",
  )
  const secret = "must be the secret of the stream's credentials, a string"
  expect(stdout.split('\n')).toEqual([
    `TypeError|createProducer: clientSecret ${secret}; this looks like a refresh token`,
    `TypeError|createProducer: clientSecret ${secret}; this looks like an id token`,
    `TypeError|createProducer: clientSecret ${secret}; this looks like an API key`,
    'TypeError|createListener: unknown option idToken. It gets id tokens with billingId, clientId and clientSecret',
    'TypeError|openTopic: token must be a function that returns an id token, such as createTokenSource makes',
    '',
  ])
})

test('a refusal by auth is told in full, because it cannot quote an event', async () => {
  const { stdout: url, stderr } = await runLines(
    'const server = createServer((_, answer) => answer.writeHead(404).end())',
    "await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))",
    'const authUrl = `http://127.0.0.1:${server.address().port}`',
    'console.log(authUrl)',
    'const producer = weir.createProducer({ ...sending, authUrl })',
    'producer.send(event)',
    'await producer.close()',
    'server.close()',
  )
  expect(stderr).toBe(
    `@weir/client: send failed with refused: authUrl ${url.trim()} is not the address of auth: it returns 404\n`,
  )
})

test('a send that fails and that nobody waits for does not end the program', async () => {
  const { code, stdout, stderr } = await runLines(
    'const producer = weir.createProducer(sending)',
    "producer.send({ ...event, conversion: 'alice@example.com' })",
    "producer.send({ ...event, conversion: 'alice@example.com' })",
    "producer.send({ ...event, customer: { id: 'x', nmae: 'alice@example.com' } })",
    'await producer.flush()',
    "console.log('still here')",
    'const failed = []',
    'const other = weir.createProducer({ ...sending, onError: ({ code }) => failed.push(code) })',
    "other.send({ ...event, conversion: 'alice@example.com' })",
    'await other.close()',
    'other.send(event)',
    'await other.flush()',
    "console.log(failed.join(' '))",
    'await producer.close()',
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'still here\ninvalid_event closed\n' })
  // At most one line per minute for each kind of error.
  expect(stderr).toBe(
    "@weir/client: send failed with invalid_event: Field 'conversion' is not an int\n",
  )
})
