// Control state contains a record of a newer release, as after a careless upgrade. Replicas that don't know this record
// become unready, report why, and accept no requests. They don't crash, and continue to read control state. Without the
// record they are ready again.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '@weir/devstack'
import type { ServiceName } from '@weir/devstack'
import { createTransactor } from '@weir/kafka'
import type { Transactor } from '@weir/kafka'
import { pollUntil } from '@weir/kit'

import { signUp, exampleEvent } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import type { World } from '../../src/world/services.ts'

const names = ['auth', 'ingest', 'output'] as const
const soon = { deadlineMs: 60_000, everyMs: 50 }
const schemaId = 'clickstream'

let own: OwnNames
let world: World
let transactor: Transactor
let account: Account
let input: TestStream
beforeAll(async () => {
  own = await openOwnNames('newer')
  world = await own.startWorld()
  const options = { transactionalId: 'weir.newer', timeoutMs: 10_000 }
  transactor = createTransactor(own.reader.kafka, options)
  await transactor.fence()
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
  input = await account.input('clicks')
}, 300_000)

afterAll(async () => {
  await transactor?.close()
  await own?.close()
})

const writeBytes = (topic: string, key: string, value: Buffer | null): Promise<void> =>
  transactor.transaction((tx) => tx.send([{ topic, partition: 0, key, value }]))

/** Writes a record of another release. null deletes the record. */
const write = (topic: string, key: string, record: object | null): Promise<void> =>
  writeBytes(topic, key, record === null ? null : Buffer.from(JSON.stringify(record)))

type Health = { readonly status: number; readonly reasons: string }

async function healthAt(adminUrl: string): Promise<Health> {
  const response = await fetch(`${adminUrl}/health/ready`)
  return { status: response.status, reasons: await response.text() }
}

const becomes = (adminUrl: string, status: number, words: string): Promise<unknown> =>
  pollUntil(async () => {
    const health = await healthAt(adminUrl).catch(() => undefined)
    return health?.status === status && health.reasons.includes(words)
  }, soon)

/** Returns the text as encoded in JSON, without quotes. */
const sentenceOf = (what: string): string => JSON.stringify(what).slice(1, -1)

const allBecome = (status: number, words: string): Promise<unknown> =>
  Promise.all(names.map((name) => becomes(world[name].adminUrl, status, words)))

async function statusOfEvent(): Promise<number> {
  const client = await connectProducer(world.ingest.url)
  const token = await account.at(world.auth.url).token(input)
  const answer = await client.send(await exampleEvent(schemaId), { token, schemaId })
  client.close()
  return answer.status
}

test.each([
  [
    'account/newer',
    { type: 'account', version: 2, billingId: 'newer' },
    'weir.control contains a record of type "account", version 2 (key "account/newer"), and this replica knows that type up to version 1: upgrade this replica',
  ],
  [
    'gadget/newer',
    { type: 'gadget', version: 1 },
    'weir.control contains a record of type "gadget", version 1 (key "gadget/newer"), and this replica knows no such type: upgrade this replica',
  ],
])('%s makes every replica unready until it is gone', async (key, record, sentence) => {
  expect(await statusOfEvent()).toBe(204)
  // When
  await write('weir.control', key, record)
  // Then
  await allBecome(503, sentenceOf(sentence))
  const create = await fetch(`${world.auth.url}/v2/streams`)
  expect(create.status).toBe(503)
  // When
  await write('weir.control', key, null)
  // Then
  await allBecome(200, '')
  expect(await statusOfEvent()).toBe(204)
})

test('a replica that starts waits, says why, and is ready when it is gone', async () => {
  await write('weir.control', 'account/newer', { type: 'account', version: 2 })
  const starting = await Promise.all(
    names.map(async (name: ServiceName) => {
      const port = await freePort()
      const service = world.replica(name, { [`${name.toUpperCase()}_ADMIN_PORT`]: String(port) })
      return { service, adminUrl: `http://127.0.0.1:${port}` }
    }),
  )
  const words = sentenceOf('type "account", version 2 (key "account/newer")')
  await Promise.all(starting.map(({ adminUrl }) => becomes(adminUrl, 503, words)))
  await write('weir.control', 'account/newer', null)
  await Promise.all(starting.map(({ service }) => service)) // each becomes ready
})

test('a key record of a newer release has the same effect', async () => {
  const key = `newer/${randomUUID()}/650/label`
  await writeBytes('weir.keys', key, Buffer.of(2, 0, 0))
  await allBecome(503, 'weir.keys contains a record of type')
  await write('weir.keys', key, null)
  await allBecome(200, '')
})

test('a heartbeat of a newer release makes ingest unready, and auth warns', async () => {
  const replica = randomUUID()
  await write('weir.replicas', replica, { type: 'heartbeat', version: 2 })
  const words = 'weir.replicas contains a record of type'
  await becomes(world.ingest.adminUrl, 503, words)
  await becomes(world.auth.adminUrl, 200, `warning: ${words}`)
  expect((await healthAt(world.output.adminUrl)).status).toBe(200)
  await write('weir.replicas', replica, null)
  await becomes(world.ingest.adminUrl, 200, '')
})

test('what is not of the making of any release is told, too', async () => {
  await write('weir.control', 'account/broken', { type: 'account', version: 1, billingId: 7 })
  await allBecome(503, 'weir.control contains a record that Weir did not write')
  await write('weir.control', 'account/broken', null)
  await allBecome(200, '')
})

test('a notice of a newer release waits, and auth stays ready with a warning', async () => {
  await write('weir.accesses', '', { type: 'use-notice', version: 2 })
  await becomes(world.auth.adminUrl, 200, 'warning: weir.accesses contains a record of type')
})
