// What a program learns from its mistakes, in a project that has only installed the package. No service runs.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { exampleContract, exampleEvent } from '@weir/testkit'
import { createProject } from './fixtures/project.ts'
import type { Project, Ran } from './fixtures/project.ts'

const before = `
import * as weir from '@weir/client'
import { readFileSync } from 'node:fs'
const { contract, event } = JSON.parse(readFileSync('example.json', 'utf8'))
const nowhere = 'http://127.0.0.1:9'
const credentials = { authUrl: nowhere, billingId: 'demo', clientId: 'client', clientSecret: 'a-secret' }
const sending = { ...credentials, ingestUrl: nowhere, contract }
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

test('a missing option is named, with what it looks like', async () => {
  const { stdout } = await runLines(
    'await tell(() => weir.createProducer())',
    'await tell(() => weir.createProducer({ ...sending, contract: undefined }))',
    'await tell(() => weir.createProducer({ ...sending, contract: { schema: {} } }))',
    "await tell(() => weir.createListener({ ...credentials, outputUrl: 'localhost:8083' }))",
    'await tell(() => weir.createTokenSource({ ...credentials, clientSecret: 7 }))',
    'await tell(() => weir.loadContract({ authUrl: nowhere }))',
    "await tell(() => weir.openTopic({ brokers: '127.0.0.1:9094' }))",
  )
  const contract =
    "the content of a contract file (an object with id and schema), or a schema id such as 'clickstream'"
  expect(stdout.split('\n')).toEqual([
    'TypeError|createProducer needs an object with options',
    `TypeError|createProducer: the option contract is missing. It must be ${contract}`,
    `TypeError|createProducer: contract must be ${contract}`,
    "TypeError|createListener: outputUrl must be the address of output, such as 'http://127.0.0.1:8083'",
    "TypeError|createTokenSource: clientSecret must be the secret of the stream's credentials, a string",
    'TypeError|loadContract: the option apiKey is missing. It must be an API key of the account, a string',
    "TypeError|openTopic: brokers must be a list of Kafka's addresses, such as ['127.0.0.1:9094']",
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
