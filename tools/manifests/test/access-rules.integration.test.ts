// What the KafkaUsers of k8s/components/strimzi may, and what auth grants ingest and output, against a real broker that
// asks who comes: each service logs in under its own name, and everything works; and what they may not is refused.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REPOSITORY, freePort, startService, startStack } from '@weir/devstack'
import type { Service, ServiceName, Stack } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import {
  connectProducer,
  createAccount,
  createTopicReader,
  exampleEvent,
  kekFileOf,
  listen,
  setting,
} from '@weir/testkit'
import type { Account, TopicReader } from '@weir/testkit'

import { SERVICES } from '../src/code/settings.ts'
import { arrayOf, at, objectsOf, textAt } from '../src/json.ts'
import type { Json } from '../src/json.ts'
import { nameOf, ofKind, render } from '../src/manifests/render.ts'

const PASSWORD = 'not-a-secret'
let folder: string
let stack: Stack
let reader: TopicReader
let account: Account
let login: string
const services = new Map<ServiceName, Service>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-access-'))
  await writeFile(join(folder, 'password'), PASSWORD)
  const [kafka, controller, loginPort] = [await freePort(), await freePort(), await freePort()]
  login = `127.0.0.1:${loginPort}`
  stack = await startStack({
    folder: join(folder, 'stack'),
    ports: { kafka, controller },
    schemaRegistryUrl: setting('SCHEMA_REGISTRY_URL'),
    brokerSettings: brokerSettings({ kafka, controller, login: loginPort }),
  })
  await addAcls()
  for (const name of SERVICES) services.set(name, await start(name))
  reader = createTopicReader([stack.kafkaBrokers])
  account = await createAccount(urlOf('auth'))
}, 240_000)

afterAll(async () => {
  await reader?.close()
  await Promise.all([...services.values()].map((service) => service.stop()))
  await stack?.stop()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

function brokerSettings(ports: { kafka: number; controller: number; login: number }) {
  const users = SERVICES.map((name) => `user_weir-${name}="${PASSWORD}"`).join(' ')
  return {
    listeners: `PLAIN://127.0.0.1:${ports.kafka},CONTROLLER://127.0.0.1:${ports.controller},LOGIN://127.0.0.1:${ports.login}`,
    'listener.security.protocol.map': 'PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT,LOGIN:SASL_PLAINTEXT',
    'listener.name.login.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.login.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required ${users};`,
  }
}

/** The rules of the KafkaUsers, one operation each. */
async function acls(): Promise<Json[]> {
  const users = ofKind(await render(join(REPOSITORY, 'k8s/overlays/prod')), 'KafkaUser')
  return users.flatMap((user) =>
    objectsOf(at(user, 'spec', 'authorization', 'acls')).flatMap((acl) =>
      arrayOf(acl['operations']).map((operation) => {
        const type = textAt(acl, 'resource', 'type')
        return {
          principal: `User:${nameOf(user)}`,
          permission: textAt(acl, 'type') === 'deny' ? 'DENY' : 'ALLOW',
          type:
            { cluster: 'BROKER', transactionalId: 'TRANSACTIONAL_ID' }[type] ?? type.toUpperCase(),
          name: type === 'cluster' ? 'kafka-cluster' : textAt(acl, 'resource', 'name'),
          pattern: textAt(acl, 'resource', 'patternType') === 'prefix' ? 'PREFIXED' : 'LITERAL',
          operation: String(operation)
            .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
            .toUpperCase(),
        }
      }),
    ),
  )
}

async function addAcls(): Promise<void> {
  const text = JSON.stringify(await acls())
  const python = join(REPOSITORY, '.weir/venv/bin/python')
  const script = join(import.meta.dirname, 'add_acls.py')
  await new Promise<void>((resolve, reject) => {
    const child = execFile(python, [script, stack.kafkaBrokers], (error) =>
      error === null ? resolve() : reject(error),
    )
    child.stdin?.end(text)
  })
}

const loginOf = (name: string) => ({
  KAFKA_BROKERS: login,
  KAFKA_SASL_MECHANISM: 'PLAIN',
  KAFKA_SASL_USERNAME: `weir-${name}`,
  KAFKA_SASL_PASSWORD_FILE: join(folder, 'password'),
})

function start(name: ServiceName): Promise<Service> {
  const own = name.toUpperCase()
  return startService({
    name,
    env: {
      ...loginOf(name),
      [`${own}_PORT`]: '0',
      [`${own}_ADMIN_PORT`]: '0',
      AUTH_PUBLIC_URL: 'http://auth.test',
      KEK_FILE: kekFileOf(name),
      ...(name === 'auth'
        ? {
            PLATFORM_KEY: setting('PLATFORM_KEY'),
            SCHEMA_REGISTRY_URL: setting('SCHEMA_REGISTRY_URL'),
            KAFKA_ACLS: 'required',
            KAFKA_INGEST_PRINCIPAL: 'User:weir-ingest',
            KAFKA_OUTPUT_PRINCIPAL: 'User:weir-output',
          }
        : {}),
    },
  })
}

const urlOf = (name: ServiceName): string => services.get(name)?.url ?? ''

test('with their rules the services do all that they are for', async () => {
  await account.contract('clickstream')
  const input = await account.input('clicks')
  const output = await account.output('clicks', 'clicks-1', { consentLevels: [1] })
  const listener = await listen(urlOf('output'), await account.token(output))
  const producer = await connectProducer(urlOf('ingest'))
  const event = await exampleEvent('clickstream')
  const options = { token: await account.token(input), schemaId: 'clickstream' }
  expect((await producer.send(event, options)).status).toBe(204)
  producer.close()
  await reader.readUntil(output.topic, 1, 60_000)
  await listener.until(1, 60_000)
  listener.close()
  const gone = await account.call('DELETE', '/v2/streams/clicks?recursive=true')
  expect([gone.status, gone.text]).toEqual([200, expect.anything()])
  const isGone = async () => !(await reader.admin.topics.exists(input.topic))
  await pollUntil(isGone, { deadlineMs: 60_000, everyMs: 500, what: 'the deletion' })
}, 200_000)

test.each([
  ['ingest', 'weir.control'],
  ['ingest', 'weir.keys'],
  ['ingest', 'weir.audit'],
  ['output', 'weir.control'],
  ['output', 'weir.keys'],
  ['output', 'weir.audit'],
  ['output', 'weir.subjects'],
  ['output', 'weir.usage'],
  ['output', 'weir.counts'],
] as const)(
  '%s may not write to %s',
  async (name, topic) => {
    const options = [
      'security.protocol=sasl_plaintext',
      'sasl.mechanisms=PLAIN',
      `sasl.username=weir-${name}`,
      `sasl.password=${PASSWORD}`,
      'message.timeout.ms=20000',
    ].flatMap((option) => ['-X', option])
    const args = ['-P', '-b', login, '-t', topic, '-p', '0', ...options]
    const said = await new Promise<string>((resolve) => {
      const child = execFile('kcat', args, (_error, stdout, stderr) => resolve(stdout + stderr))
      child.stdin?.end('anything\n')
    })
    expect(said).toContain('Topic authorization failed')
  },
  60_000,
)
