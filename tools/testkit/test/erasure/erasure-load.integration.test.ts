// People are erased while events flow: one erasure per second. After each erasure, every replica of output is asked to
// decrypt the erased values. In `npm test` the load is small. To load a machine:
//   ERASURE_LOAD_RATE=5000 ERASURE_LOAD_SECONDS=60 npm test -- erasure-load
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { delay, pollUntil } from '@weir/kit'
import { measured } from '../../src/scale.ts'
import {
  asObject,
  signUp,
  exampleContract,
  exampleEvent,
  expectStatus,
  freshName,
  reachedAt,
  request,
  textIn,
} from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Producer } from '../../src/world/producer.ts'
import { runProgram } from '../../src/world/run-program.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import type { World } from '../../src/world/services.ts'

const rate = Number(process.env['ERASURE_LOAD_RATE'] ?? 200)
const seconds = Number(process.env['ERASURE_LOAD_SECONDS'] ?? 6)
const eventsOfEach = 20
/**
 * A preview covers the last 10,000 events, and counts by contract. So each erased person uses another contract than the
 * person before.
 */
const contractCount = 10
const unlimited = { eventRate: '999999999', eventCount: '999999999999' }
const weir = join(import.meta.dirname, '../../../../clients/cli/bin/weir.js')

let own: OwnNames
let world: World
let outputs: Service[]
let account: Account
let input: TestStream
let token: string
let producer: Producer

beforeAll(async () => {
  own = await openOwnNames('erasure-load')
  world = await own.startWorld()
  outputs = [world.output, await world.replica('output')]
  account = await signUp(world.auth.url)
  await account.contract('clickstream')
  for (let index = 0; index < contractCount; index += 1) await makeContract(contractOf(index))
  input = await account.input(freshName('crowd'), { limits: unlimited })
  token = await account.token(input)
  producer = await connectProducer(world.ingest.url)
})

afterAll(async () => {
  producer?.close()
  await own?.close()
})

const contractOf = (index: number): string => `leaver_${index % contractCount}`

async function makeContract(id: string): Promise<void> {
  const example = await exampleContract('clickstream')
  const schema = asObject(example['schema'])
  const body = {
    ...example,
    id,
    schema: {
      ...schema,
      schema_registry_ref: `${account.billingId.replaceAll('-', '_')}-${id}/latest`,
      definition: { ...asObject(schema['definition']), svcSchemaId: id },
    },
  }
  expectStatus(await account.call('POST', '/v2/contracts', body), 201)
}

/** Runs a realistic load in a separate process. Resolves with its final report. */
async function simulateCrowd(): Promise<Record<string, unknown>> {
  const { clientId, clientSecret } = input
  const env = {
    PATH: process.env['PATH'],
    WEIR_CONFIG: join(own.folder, 'profile.json'),
    WEIR_AUTH_URL: world.auth.url,
    WEIR_INGEST_URL: world.ingest.url,
    WEIR_OUTPUT_URL: world.output.url,
    WEIR_BILLING_ID: account.billingId,
    WEIR_API_KEY: account.apiKey,
    WEIR_CLIENT_ID: clientId,
    WEIR_CLIENT_SECRET: clientSecret,
  }
  const pace = ['--rate', String(rate), '--duration', `${seconds}s`, '--sessions', '1000']
  const flags = ['--schema', 'clickstream', ...pace, '-o', 'json']
  const { code, output, complaint } = await runProgram([weir, 'simulate', input.name, ...flags], {
    env,
  })
  if (code !== 0) throw new Error(`weir simulate ended with ${code}: ${complaint.slice(-2_000)}`)
  return asObject(JSON.parse(output))
}

async function sendOf(person: string, schemaId: string): Promise<void> {
  const event = { ...(await exampleEvent('clickstream')), producerSessionId: person }
  const answers = await Promise.all(
    Array.from({ length: eventsOfEach }, () => producer.send(event, { token, schemaId })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
}

/** Returns which personal fields a replica decrypts in the newest events of a contract. */
async function lookAt(output: Service, contract: string) {
  const path = `/v2/streams/${input.name}/outputs/preview`
  const asked = { consentLevels: [1], last: 10_000 }
  const { body } = expectStatus(await request(output.url, account.apiKey, 'POST', path, asked), 200)
  const fields: unknown[] = Array.isArray(body['fields']) ? body['fields'] : []
  return fields
    .map(asObject)
    .filter((field) => field['contract'] === contract)
    .map(({ path: field, opened, sealed }) => ({ field, opened, sealed }))
}

const allOf = (what: 'opened' | 'sealed') =>
  ['customer/id', 'producerSessionId'].map((field) => {
    return { field, opened: 0, sealed: 0, [what]: eventsOfEach }
  })

async function eraseAndWait(person: string): Promise<number> {
  const path = `/v2/streams/${input.name}/erasures`
  const made = await account.call('POST', path, { keyFieldValue: person })
  const id = textIn(expectStatus(made, 201).body, 'id')
  const applied = await pollUntil(
    async () => {
      const { body } = expectStatus(await account.call('GET', `${path}/${id}`), 200)
      return reachedAt(body, 'applied') === undefined ? undefined : body
    },
    { deadlineMs: 60_000, everyMs: 50, what: 'an erasure that is applied' },
  )
  const [from = '', to = ''] = ['accepted', 'applied'].map((state) => reachedAt(applied, state))
  return Date.parse(to) - Date.parse(from)
}

/** Returns the number of events in a topic that have an encrypted personal field. */
async function sealedIn(topic: string, count: number): Promise<number> {
  const records = await own.reader.readUntil(topic, count, 120_000)
  return records.filter(({ headers }) => headers['svc-undecryptable'] !== undefined).length
}

test(`${rate} events a second, and an erasure each second: applied within 3 s, then opened by no replica; no event is lost`, async () => {
  const live = await account.output(input.name, freshName('live'), { consentLevels: [1] })
  let isOver = false
  const crowd = simulateCrowd().finally(() => (isOver = true))
  crowd.catch(() => undefined) // `await crowd` below reports the error
  const times: number[] = []
  const lookAtAll = (contract: string) =>
    Promise.all(outputs.map((output) => lookAt(output, contract)))
  const before: unknown[] = []
  for (let index = 0; !isOver; index += 1) {
    const nextMs = Date.now() + 1_000
    const person = `leaver-${index}`
    await sendOf(person, contractOf(index))
    if (index === 0) before.push(...(await lookAtAll(contractOf(index))))
    times.push(await eraseAndWait(person))
    expect(await lookAtAll(contractOf(index))).toEqual(outputs.map(() => allOf('sealed')))
    await delay(Math.max(0, nextMs - Date.now()))
  }
  expect(before).toEqual(outputs.map(() => allOf('opened')))
  expect(await crowd).toMatchObject({ stored: rate * seconds, rejected: 0 })
  expect(times.filter((ms) => ms >= measured(3_000))).toEqual([])

  const left = times.length * eventsOfEach
  const all = rate * seconds + left
  expect(await own.reader.readUntil(input.topic, all)).toHaveLength(all)
  expect(await own.reader.readUntil(live.topic, all, 120_000)).toHaveLength(all)
  const again = { consentLevels: [1], from: 'earliest' }
  const replay = await account.output(input.name, freshName('replay'), again)
  expect(await sealedIn(replay.topic, all)).toBe(left)
}, 300_000)
