// Only the creation of contracts needs the registry. If the registry is stopped, or was changed without auth, auth can
// restart and issue tokens. Readers and events are not affected.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startStack } from '@weir/devstack'
import type { Service, Stack } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import {
  asObject,
  connectProducer,
  signUp,
  exampleContract,
  exampleEvent,
  expectStatus,
  freshName,
  listen,
  startWorld,
} from '@weir/testkit'
import type { Account, Reply, TestListener, TestStream, World } from '@weir/testkit'

let folder: string
let registry: Stack
let world: World
let auth: Service
let account: Account
let input: TestStream
let listener: TestListener
const schemaIds: unknown[] = []

/** Each start uses the same data. */
const startRegistry = (port?: number): Promise<Stack> =>
  startStack({
    folder: join(folder, 'registry'),
    ports: port === undefined ? 'free' : { registry: port },
    kafkaBrokers: '127.0.0.1:9',
  })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-registry-'))
  registry = await startRegistry()
  world = await startWorld({ SCHEMA_REGISTRY_URL: registry.schemaRegistryUrl })
  ;({ auth } = world)
  account = await signUp(auth.url)
  // Two subjects with one schema get two ids or one, depending on the registry.
  for (const id of ['clickstream', 'clickstream-again']) {
    const reply = expectStatus(await publish(id), 201)
    schemaIds.push(asObject(reply.body['schema'])['schema_registry_id'])
  }
  input = await account.input('in')
  const output = await account.output('in', 'out', { consentLevels: [0] })
  listener = await listen(world.output.url, await account.token(output))
}, 240_000)

afterAll(async () => {
  listener?.close()
  await world?.stop()
  await registry?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function publish(id: string): Promise<Reply> {
  const example = await exampleContract('clickstream')
  const schema = { ...asObject(example['schema']), schema_registry_ref: `${freshName('s')}/latest` }
  return account.call('POST', '/v2/contracts', { ...example, id, schema })
}

/** Restarts auth, as after a crash, on a new node, or with a new version. */
async function startAuthAnew(): Promise<void> {
  await auth.stop()
  auth = await world.replica('auth')
  account = account.at(auth.url)
}

const readiness = async (): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`${auth.adminUrl}/health/ready`)
  return { status: answer.status, text: await answer.text() }
}

async function expectAllButContracts(warning: string): Promise<void> {
  expect((await readiness()).status).toBe(200)
  await pollUntil(async () => (await readiness()).text.includes(warning), { deadlineMs: 60_000 })
  // Tokens are issued, and events are accepted.
  const token = await account.token(input)
  const before = listener.events.length
  const event = await exampleEvent('clickstream')
  const producer = await connectProducer(world.ingest.url)
  const sent = await producer.send(event, { token, schemaId: 'clickstream' })
  producer.close()
  expect(sent.status).toBe(204)
  await listener.until(before + 1)
  // Readers get their schemas.
  for (const id of schemaIds) {
    const { status, text } = await account.call('GET', `/registry/schemas/ids/${String(id)}`)
    expect(status).toBe(200)
    expect(JSON.parse(text)).toHaveProperty('schema')
  }
  // Contracts are shown and archived, but not created.
  expect((await account.call('GET', '/v2/contracts/clickstream')).status).toBe(200)
  const refused = await publish(freshName('c'))
  expect(refused.status).toBe(503)
  expect(refused.body).toMatchObject({ code: 'unavailable' })
  expect(refused.body['detail']).toMatch(/registry.*Tokens, events and readers do not depend on it/)
}

async function expectAll(): Promise<void> {
  expect((await publish(freshName('c'))).status).toBe(201)
  expect(await readiness()).toEqual({ status: 200, text: '[]\n' })
}

test('while the registry is away, auth starts and serves all but new contracts', async () => {
  const { port } = new URL(registry.schemaRegistryUrl)
  await registry.stop()
  await startAuthAnew()
  await expectAllButContracts('warning: the schema registry does not answer')
  registry = await startRegistry(Number(port))
  await expectAll()
}, 180_000)

test('the same while somebody has changed how the registry numbers schemas', async () => {
  const settings = new URL('/apis/registry/v3/admin/config/properties', registry.schemaRegistryUrl)
  const setTo = async (value: string): Promise<void> => {
    const answer = await fetch(`${settings.href}/apicurio.ccompat.legacy-id-mode.enabled`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value }),
    })
    expect(answer.status).toBe(204)
  }
  await setTo('false')
  expect((await publish(freshName('c'))).status).toBe(503)
  await startAuthAnew()
  await expectAllButContracts('warning: the schema registry has other ids')
  await setTo('true')
  await expectAll()
})
