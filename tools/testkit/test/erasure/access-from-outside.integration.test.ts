// The events that people get about themselves, compared with a program that shares no code with Weir. In the soak there
// are a million events, by three contracts, in two eras. The services that receive the first half have clocks in the
// past era.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'
import { ERA_MS } from '@weir/fieldcrypt'
import { newContract } from '../../src/index.ts'
import { scale } from '../../src/scale.ts'
import { account as accountAt, asObject, signUp } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import type { World } from '../../src/world/services.ts'
import { inLastTerm } from '../../src/world/shifted-clock.ts'

const python = join(REPOSITORY, '.weir/venv/bin/python')
const script = join(import.meta.dirname, 'access_from_outside.py')
const text = (name: string) => ({ name, type: 'string' })
const limits = { eventRate: '1000000', eventCount: '1000000000' }
const count = scale(1_000_000, 20_000)

let own: OwnNames
let world: World
let account: Account
let input: TestStream

beforeAll(async () => {
  own = await openOwnNames('access')
  const past = await own.startWorld(inLastTerm())
  try {
    account = await signUp(past.auth.url)
    await makeContracts()
    input = await account.input('events', { limits, keyRetentionDays: 3_650 })
    await own.keepForEver(input)
    await send(past, 0)
  } finally {
    await past.stop()
  }
  world = await own.startWorld()
  account = accountAt(world.auth.url, account.billingId, account.apiKey)
  await send(world, 1)
}, 900_000)
afterAll(() => own?.close())

async function makeContracts(): Promise<void> {
  const of = (id: string, keyField: string, piiFields: Record<string, number>, more = {}) =>
    newContract(account, {
      id,
      keyField,
      fields: [...Object.keys(piiFields), 'nr'].map(text),
      piiFields,
      ...more,
    })
  await of('visit', 'user', { user: 1, mail: 2 })
  await of('order', 'device', { device: 0, customer: 1 }, { dataSubjectField: 'customer' })
  await of('letter', 'recipient', { recipient: 2 })
}

async function run(wanted: object): Promise<Record<string, unknown>> {
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify({ count, ...wanted }))
  return asObject(await json(child.stdout))
}

async function send({ ingest }: World, half: 0 | 1): Promise<void> {
  const token = await account.token(input)
  const sent = await run({ do: 'send', half, ingest: ingest.url, token })
  expect(sent).toEqual({ sent: count / 2 })
}

test('each has exactly their own events, decrypted, also after an erasure and a withdrawal', async () => {
  const boundary = new Date(Date.now() - (Date.now() % ERA_MS)).toISOString()
  const { auth, output } = world
  const urls = { auth: auth.url, output: output.url, apiKey: account.apiKey }
  const compared = await run({ do: 'compare', ...urls, boundary })
  expect(compared['differ']).toEqual([])
}, 900_000)
