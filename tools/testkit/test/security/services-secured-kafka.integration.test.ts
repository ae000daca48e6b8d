// The three services use a Kafka that requires TLS and a login. A refused service is unready, reports why without the
// secret, and recovers once the login is corrected.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort, makeAuthority, startStack } from '@weir/devstack'
import type { Authority, Stack } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

import {
  asObject,
  connectProducer,
  signUp,
  exampleEvent,
  listen,
  setting,
  startWorld,
} from '../../src/index.ts'
import type { World } from '../../src/index.ts'

const PASSWORD = 'correct horse battery staple'
const WRONG = 'wrong-horse'
const schemaId = 'demo_v1'

let folder: string
let stack: Stack
let world: World
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-services-kafka-'))
  const authority = await makeAuthority(folder, 'kafka')
  const [kafka, controller, secured] = [await freePort(), await freePort(), await freePort()]
  stack = await startStack({
    folder: join(folder, 'stack'),
    ports: { kafka, controller },
    schemaRegistryUrl: setting('SCHEMA_REGISTRY_URL'),
    brokerSettings: {
      ...(await securedListener(authority)),
      listeners: `PLAIN://127.0.0.1:${kafka},CONTROLLER://127.0.0.1:${controller},SECURED://127.0.0.1:${secured}`,
    },
  })
  env = {
    KAFKA_BROKERS: `127.0.0.1:${secured}`,
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: authority.ca,
    KAFKA_SASL_MECHANISM: 'PLAIN',
    KAFKA_SASL_USERNAME: 'weir',
    KAFKA_SASL_PASSWORD_FILE: await secret('password', PASSWORD),
  }
  world = await startWorld(env)
})

afterAll(async () => {
  await world?.stop()
  await stack?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function securedListener(authority: Authority): Promise<Record<string, string>> {
  const { cert, key } = await authority.issue('broker', ['IP:127.0.0.1'])
  const keyStore = join(folder, 'keystore.pem')
  await writeFile(keyStore, (await readFile(key, 'utf8')) + (await readFile(cert, 'utf8')))
  const own = (name: string) => `listener.name.secured.${name}`
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule'
  return {
    'listener.security.protocol.map': 'PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'super.users': 'User:ANONYMOUS;User:weir',
    [own('ssl.keystore.type')]: 'PEM',
    [own('ssl.keystore.location')]: keyStore,
    [own('sasl.enabled.mechanisms')]: 'PLAIN',
    [own('plain.sasl.jaas.config')]: `${login} required user_weir="${PASSWORD}";`,
  }
}

async function secret(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `${text}\n`)
  return path
}

test('an event comes in, is derived exactly once and goes out', async () => {
  // Given
  const account = await signUp(world.auth.url)
  await account.contract(schemaId)
  const input = await account.input('in')
  const derived = await account.output('in', 'in-1', { consentLevels: [1] })
  const listener = await listen(world.output.url, await account.token(derived))
  const producer = await connectProducer(world.ingest.url)

  // When
  const event = { ...(await exampleEvent(schemaId)), svcMeta: { consentLevels: [1] } }
  const { status } = await producer.send(event, { token: await account.token(input), schemaId })

  // Then
  expect(status).toBe(204)
  const [seen] = await listener.until(1)
  expect(asObject(seen?.['svcMeta'])['billingId']).toBe(account.billingId)
  listener.close()
  producer.close()
})

test('a wrong password leaves a service unready and told why; the right one in its place lets it in', async () => {
  // Given
  const passwordFile = await secret('other-password', WRONG)
  const before = world.logLines().length
  const starting = world.replica('ingest', { ...env, KAFKA_SASL_PASSWORD_FILE: passwordFile })
  const readiness = async (): Promise<string> => {
    const line = world
      .logLines()
      .slice(before)
      .find((text) => text.includes('"listening"'))
    const { adminPort } = asObject(JSON.parse(line ?? '{}'))
    return (await fetch(`http://127.0.0.1:${String(adminPort)}/health/ready`)).text()
  }

  // When
  const told = await pollUntil(
    () =>
      readiness().then(
        (text) => (text.includes('Kafka: ') ? text : undefined),
        () => undefined,
      ),
    { deadlineMs: 60_000, what: 'the reason' },
  )

  // Then
  expect(JSON.parse(told)).toContainEqual(
    expect.stringMatching(
      /^Kafka: 127\.0\.0\.1:\d+: it refuses the login by PLAIN; see KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD_FILE$/,
    ),
  )
  await writeFile(passwordFile, PASSWORD)
  const replica = await starting
  expect(await readiness()).toBe('[]\n')
  expect(replica.lines().join('\n')).not.toContain(WRONG)
  expect(world.logLines().join('\n')).not.toContain(PASSWORD)
})
