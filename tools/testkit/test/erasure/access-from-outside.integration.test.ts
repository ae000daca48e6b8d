// Compares exports of people's own events, and the searches for these people, with a program that shares no code with
// Weir. `npm run soak` sends a million events, by three contracts, in thirteen eras. The events of an era are sent to
// services whose clocks are in that era. One person is erased three times, and sends new events from two devices each
// time.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'
import { ERA_MS, eraAt } from '@weir/fieldcrypt'
import { newContract } from '../../src/index.ts'
import { scale } from '../../src/scale.ts'
import { account as accountAt, asObject, signUp } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import type { World } from '../../src/world/services.ts'
import { clockShiftedBy } from '../../src/world/shifted-clock.ts'

const python = join(REPOSITORY, '.weir/venv/bin/python')
const script = join(import.meta.dirname, 'access_from_outside.py')
const text = (name: string) => ({ name, type: 'string' })
const limits = { eventRate: '1000000', eventCount: '1000000000' }
const count = scale(1_000_000, 20_000)
const present = eraAt(Date.now())
const eras = Array.from({ length: 13 }, (_, nth) => present - 12 + nth)

let own: OwnNames
let world: World
let account: Account
let input: TestStream

beforeAll(async () => {
  own = await openOwnNames('access')
  for (const era of eras.slice(0, -1)) {
    const past = await own.startWorld(clockShiftedBy((era - present) * ERA_MS))
    try {
      await prepare(past)
      await send(past, era)
    } finally {
      await past.stop()
    }
  }
  world = await own.startWorld()
  await prepare(world)
  await send(world, present)
}, 1_800_000)
afterAll(() => own?.close())

/** Creates the account, its contracts and the stream in the first era. */
async function prepare({ auth }: World): Promise<void> {
  if (account !== undefined) {
    account = accountAt(auth.url, account.billingId, account.apiKey)
    return
  }
  account = await signUp(auth.url)
  await makeContracts()
  input = await account.input('events', { limits, keyRetentionDays: 3_650 })
  await own.keepForEver(input)
}

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
  child.stdin.end(JSON.stringify({ count, eras, ...wanted }))
  return asObject(await json(child.stdout))
}

async function send({ ingest }: World, era: number): Promise<void> {
  const token = await account.token(input)
  const sent = await run({ do: 'send', era, ingest: ingest.url, token })
  expect(sent).toEqual({ sent: Math.floor(count / eras.length) })
}

test('each has exactly their own events, decrypted, also after an erasure and a withdrawal', async () => {
  const { auth, ingest, output } = world
  const urls = { auth: auth.url, ingest: ingest.url, output: output.url, apiKey: account.apiKey }
  const compared = await run({ do: 'compare', ...urls, token: await account.token(input) })
  expect(compared['differ']).toEqual([])
}, 1_800_000)
