// Compares the search for a person with the counts of a program that shares no code with Weir, before and after
// erasures and withdrawals. Ten thousand people have events of four contracts in three streams. Some searched people
// have no events.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'
import { signUp, joinWorld, newContract, setting } from '../../src/index.ts'
import type { Account, SharedWorld, TestStream } from '../../src/index.ts'

const python = join(REPOSITORY, '.weir/venv/bin/python')
const script = join(import.meta.dirname, 'people_from_outside.py')
const text = (name: string) => ({ name, type: 'string' })
const limits = { eventRate: '1000000', eventCount: '1000000000' }

let world: SharedWorld
let account: Account
beforeAll(async () => {
  world = await joinWorld()
  account = await signUp(world.auth.url)
})
afterAll(() => world?.stop())

async function makeContracts(): Promise<void> {
  const of = (id: string, keyField: string, piiFields: Record<string, number>, more = {}) =>
    newContract(account, {
      id,
      keyField,
      fields: Object.keys(piiFields).map(text),
      piiFields,
      ...more,
    })
  await of('visit', 'user', { user: 1, mail: 2 })
  await of('order', 'device', { device: 0, customer: 1 }, { dataSubjectField: 'customer' })
  await of('letter', 'mail', { mail: 2 })
  await of('call', 'user', { user: 1 })
}

const tokenOf = async (stream: TestStream) => ({ token: await account.token(stream) })

async function makeStreams() {
  const [web, shop, desk] = await Promise.all(
    ['web', 'shop', 'desk'].map((name) => account.input(name, { limits })),
  )
  if (!web || !shop || !desk) throw new Error('a stream is missing')
  const all = { stream: 'web', name: 'all-names', levels: [2], type: 'CUMULATIVE' }
  const some = { stream: 'shop', name: 'some-names', levels: [1], type: 'GRANULAR' }
  const outputs = await Promise.all(
    [all, some].map(async (output) => {
      const asked = { consentLevels: output.levels, consentLevelType: output.type }
      return { ...output, topic: (await account.output(output.stream, output.name, asked)).topic }
    }),
  )
  const streams = { web: await tokenOf(web), shop: await tokenOf(shop), desk: await tokenOf(desk) }
  return { streams, outputs }
}

test('the counts are exact, also after an erasure and a withdrawal, and 0 for whom nobody knows', async () => {
  await makeContracts()
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const wanted = {
    ...(await makeStreams()),
    auth: world.auth.url,
    ingest: world.ingest.url,
    apiKey: account.apiKey,
    brokers: setting('KAFKA_BROKERS'),
    registry: setting('SCHEMA_REGISTRY_URL'),
  }
  child.stdin.end(JSON.stringify(wanted))
  const found = await json(child.stdout)
  expect(found).toEqual({ events: expect.any(Number), erased: 10, withdrawn: 10, differ: [] })
}, 900_000)
