// A separate broker is killed while auth runs. No request hangs, each successful change is stored, and auth recovers
// once the broker is back.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startStack } from '@weir/devstack'
import type { Service, Stack } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import {
  makeAccount,
  problem,
  registryUrl,
  secretsOf,
  send,
  startAuth,
  uniqueName,
} from '../support.ts'
import type { Account, Secrets } from '../support.ts'

let stack: Stack
let auth: Service
let account: Account
let secrets: Secrets

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-auth-outage-'))
  stack = await startStack({ folder, ports: 'free', schemaRegistryUrl: registryUrl })
  auth = await startAuth({ KAFKA_BROKERS: stack.kafkaBrokers })
  account = await makeAccount(auth)
  secrets = secretsOf(await account.post('/v2/streams', { name: 'before' }))
})

afterAll(async () => {
  await auth.stop()
  await stack.stop()
})

const isReady = async (): Promise<boolean> =>
  (await send(`${auth.adminUrl}/health/ready`)).status === 200

test('without its broker auth refuses changes, still proves clients it knows, and says it is not ready', async () => {
  await stack.killBroker()
  const name = uniqueName('s')
  const refused = await send(`${auth.url}/v2/streams`, {
    method: 'POST',
    bearer: account.apiKey,
    json: { name },
    patienceMs: 60_000,
  })
  expect(refused.json).toEqual(problem(503, 'unavailable'))
  expect(refused.headers.get('retry-after')).toBe('1')
  const json = { billingId: account.billingId, ...secrets }
  expect((await send(`${auth.url}/auth`, { method: 'POST', json })).status).toBe(200)
  await pollUntil(async () => !(await isReady()), { deadlineMs: 60_000, everyMs: 200 })
})

test('with its broker back auth is ready again, and makes streams as before', async () => {
  await stack.restartBroker()
  await pollUntil(isReady, { deadlineMs: 60_000, everyMs: 200 })
  expect((await account.get('/v2/streams/before')).status).toBe(200)
  const make = async () => {
    const reply = await account.post('/v2/streams', { name: 'after' })
    return reply.status === 201
  }
  await pollUntil(make, { deadlineMs: 60_000, everyMs: 500 })
}, 150_000)
