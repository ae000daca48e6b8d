// All processes are killed at the same time, and restarted in various orders. Kafka needs auth's public keys before it
// starts, and auth needs Kafka before it is ready. Nevertheless everything recovers automatically, and an analyst
// connects with the old credentials.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort, startService, startStack } from '@weir/devstack'
import type { Service, ServiceName, Stack } from '@weir/devstack'
import { createAdmin, createKafka } from '@weir/kafka'
import { createLog, hasCode, pollUntil } from '@weir/kit'

import { scale } from '../../src/scale.ts'
import { signUp } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { kekFileOf, setting } from '../../src/world/services.ts'

const log = createLog('full-outage-test', 'silent')
const READY_WITHIN_MS = 120_000

let folder: string
let ports: { kafka: number; controller: number; analysts: number; registry: number; auth: number }
let env: Record<string, string>
let running: { stack: Stack; services: Service[] }
let account: Account
let output: TestStream

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-outage-'))
  const [kafka, controller, analysts] = [await freePort(), await freePort(), await freePort()]
  ports = { kafka, controller, analysts, registry: await freePort(), auth: await freePort() }
  env = {
    KAFKA_BROKERS: `127.0.0.1:${kafka}`,
    SCHEMA_REGISTRY_URL: `http://127.0.0.1:${ports.registry}/apis/ccompat/v7`,
    PLATFORM_KEY: setting('PLATFORM_KEY'),
    AUTH_PUBLIC_URL: authUrl(),
    AUTH_PORT: String(ports.auth),
    AUTH_ADMIN_PORT: '0',
    INGEST_PORT: '0',
    INGEST_ADMIN_PORT: '0',
    OUTPUT_PORT: '0',
    OUTPUT_ADMIN_PORT: '0',
  }
  running = await authFirst()
  account = await signUp(authUrl())
  await account.input('in')
  output = await account.output('in', 'out', { consentLevels: [0] })
}, 300_000)

afterAll(async () => {
  await Promise.all(running?.services.map((service) => service.stop()) ?? [])
  await running?.stack.stop()
  await rm(folder, { recursive: true, force: true })
})

const authUrl = (): string => `http://127.0.0.1:${ports.auth}`
const jwksUrl = (): string => `${authUrl()}/.well-known/jwks.json`

/** Retries, because the killed Kafka may take a moment to release its ports. */
const startKafka = (): Promise<Stack> =>
  pollUntil(
    () =>
      startStack({ folder, ports, analysts: { jwksUrl: jwksUrl(), issuer: authUrl() } }).catch(
        (error: unknown) => {
          if (hasCode(error, 'port_in_use')) return undefined
          throw error
        },
      ),
    { deadlineMs: READY_WITHIN_MS, everyMs: 200 },
  )

const start = (...names: ServiceName[]): Promise<Service[]> =>
  Promise.all(
    names.map((name) =>
      startService({
        name,
        env: { ...env, KEK_FILE: kekFileOf(name) },
        readyWithinMs: READY_WITHIN_MS,
      }),
    ),
  )

const answers = (url: string) => () =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
const seen = (url: string): Promise<unknown> =>
  pollUntil(answers(url), { deadlineMs: READY_WITHIN_MS, everyMs: 50 })

async function authFirst(): Promise<typeof running> {
  const starting = start('auth')
  await seen(jwksUrl())
  const [services, stack] = await Promise.all([starting, startKafka()])
  return { stack, services: [...services, ...(await start('ingest', 'output'))] }
}

/** Starts Kafka first, and the services once the registry is ready. Kafka still waits for auth's keys. */
async function kafkaFirst(): Promise<typeof running> {
  const starting = startKafka()
  await seen(`${env['SCHEMA_REGISTRY_URL']}/subjects`)
  const [stack, services] = await Promise.all([starting, start('auth', 'ingest', 'output')])
  return { stack, services }
}

async function kafkaLast(): Promise<typeof running> {
  const starting = start('ingest', 'output', 'auth')
  await seen(jwksUrl())
  const [services, stack] = await Promise.all([starting, startKafka()])
  return { stack, services }
}

async function killEverything(): Promise<void> {
  const { stack, services } = running
  await Promise.all([...services.map((service) => service.kill()), stack.kill()])
}

/** Waits until a client with the output's credentials can read its topic, but not `weir.control`. */
async function analystGetsIn(): Promise<void> {
  const kafka = createKafka({
    brokers: [running.stack.analystBrokers ?? ''],
    clientId: 'analyst',
    log,
    login: {
      mechanism: 'OAUTHBEARER',
      token: () => account.token(output),
      forget: () => {},
    },
  })
  const admin = createAdmin(kafka, { deadlineMs: 5_000 })
  const isIn = () =>
    admin.topics.partitionCount(output.topic).then(
      (count) => count !== undefined,
      () => false,
    )
  try {
    await pollUntil(isIn, { deadlineMs: 60_000, what: 'an analyst getting in' })
    await expect(admin.topics.partitionCount('weir.control')).rejects.toMatchObject({
      code: 'kafka.refused',
    })
  } finally {
    await admin.close()
  }
}

test('before the first outage an analyst gets in', analystGetsIn, 90_000)

const orders = [
  ['Kafka first, which waits for auth', kafkaFirst],
  ['auth first, which waits for Kafka', authFirst],
  ['all services first, and Kafka last', kafkaLast],
] as const

test.each(orders.slice(0, scale(orders.length, 1)))(
  'after an outage of everything it all comes back: %s',
  async (_order, again) => {
    await killEverything()
    running = await again()
    await analystGetsIn()
    expect((await account.call('GET', '/v2/streams/in/outputs/out')).status).toBe(200)
  },
  300_000,
)
