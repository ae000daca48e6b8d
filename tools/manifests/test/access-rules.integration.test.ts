// Tests the rights of the KafkaUsers in k8s/components/strimzi, and the rights that auth grants to ingest and output,
// with a real broker. Each service logs in under its own name. All services work, and Kafka refuses actions without a
// right.
import { execFile } from 'node:child_process'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { connectProducer, signUp, exampleEvent, listen, openLoginStack } from '@weir/testkit'
import type { Account, LoginStack, World } from '@weir/testkit'

import { SERVICES } from '../src/code/settings.ts'
import { arrayOf, at, objectsOf, manifestTextAt } from '../src/json.ts'
import { nameOf, ofKind, render } from '../src/manifests/render.ts'

let stack: LoginStack
let world: World
let account: Account

beforeAll(async () => {
  stack = await openLoginStack(
    'access',
    SERVICES.map((name) => `weir-${name}`),
  )
  await stack.addAcls(await acls())
  const auth = {
    KAFKA_ACLS: 'required',
    KAFKA_INGEST_PRINCIPAL: 'User:weir-ingest',
    KAFKA_OUTPUT_PRINCIPAL: 'User:weir-output',
  }
  world = await stack.startWorld(
    {},
    {
      auth: { ...stack.loginOf('weir-auth'), ...auth },
      ingest: stack.loginOf('weir-ingest'),
      output: stack.loginOf('weir-output'),
    },
  )
  account = await signUp(world.auth.url)
}, 240_000)

afterAll(() => stack?.close(), 60_000)

/** Returns the rules of the KafkaUsers, with one operation per rule. */
async function acls(): Promise<Parameters<LoginStack['addAcls']>[0]> {
  const users = ofKind(await render(join(REPOSITORY, 'k8s/overlays/prod')), 'KafkaUser')
  return users.flatMap((user) =>
    objectsOf(at(user, 'spec', 'authorization', 'acls')).flatMap((acl) =>
      arrayOf(acl['operations']).map((operation) => {
        const type = manifestTextAt(acl, 'resource', 'type')
        return {
          principal: `User:${nameOf(user)}`,
          permission: manifestTextAt(acl, 'type') === 'deny' ? 'DENY' : 'ALLOW',
          type:
            { cluster: 'BROKER', transactionalId: 'TRANSACTIONAL_ID' }[type] ?? type.toUpperCase(),
          name: type === 'cluster' ? 'kafka-cluster' : manifestTextAt(acl, 'resource', 'name'),
          pattern:
            manifestTextAt(acl, 'resource', 'patternType') === 'prefix' ? 'PREFIXED' : 'LITERAL',
          operation: String(operation)
            .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
            .toUpperCase(),
        }
      }),
    ),
  )
}

test('with their rules the services do all that they are for', async () => {
  await account.contract('clickstream')
  const input = await account.input('clicks')
  const output = await account.output('clicks', 'clicks-1', { consentLevels: [1] })
  const listener = await listen(world.output.url, await account.token(output))
  const producer = await connectProducer(world.ingest.url)
  const event = await exampleEvent('clickstream')
  const options = { token: await account.token(input), schemaId: 'clickstream' }
  expect((await producer.send(event, options)).status).toBe(204)
  producer.close()
  await stack.reader.readUntil(output.topic, 1, 60_000)
  await listener.until(1, 60_000)
  listener.close()
  const gone = await account.call('DELETE', '/v2/streams/clicks?recursive=true')
  expect([gone.status, gone.text]).toEqual([200, expect.anything()])
  const isGone = async () => !(await stack.reader.admin.topics.exists(input.topic))
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
    const { 'bootstrap.servers': login = '', ...client } = stack.clientOf(`weir-${name}`)
    const options = Object.entries({ ...client, 'message.timeout.ms': '20000' }).flatMap(
      ([option, value]) => ['-X', `${option}=${value}`],
    )
    const args = ['-P', '-b', login, '-t', topic, '-p', '0', ...options]
    const said = await new Promise<string>((resolve) => {
      const child = execFile('kcat', args, (_error, stdout, stderr) => resolve(stdout + stderr))
      child.stdin?.end('anything\n')
    })
    expect(said).toContain('Topic authorization failed')
  },
  60_000,
)
