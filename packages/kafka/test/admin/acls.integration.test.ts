// Checks the ACLs in Kafka's authorizer with plain kafkajs.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ResourcePatternTypes,
} from 'kafkajs'
import type { Admin } from 'kafkajs'

import { startStack } from '@weir/devstack'

import { createAcls } from '../../src/admin/acls.ts'
import type { Acl, Acls } from '../../src/admin/acls.ts'
import { connect, plainKafka, uniqueName } from '../support.ts'

let acls: Acls
let outside: Admin

beforeAll(async () => {
  acls = createAcls(connect())
  outside = plainKafka().admin()
  await outside.connect()
})

afterAll(async () => {
  await outside.disconnect()
  await acls.close()
})

const topicOf = (principal: string, name: string): Acl => {
  return { principal, resource: 'topic', name, pattern: 'literal', operation: 'read' }
}
const groupsOf = (principal: string, name: string): Acl => {
  return { principal, resource: 'group', name, pattern: 'prefixed', operation: 'read' }
}

const ofPrincipal = async (principal: string): Promise<Acl[]> =>
  (await acls.list()).filter((acl) => acl.principal === principal)

/** Returns a principal's ACLs as a broker reports them, with Kafka's numeric codes. */
async function seenOutside(principal: string): Promise<string[]> {
  const { resources } = await outside.describeAcls({
    principal,
    resourceType: AclResourceTypes.ANY,
    resourcePatternType: ResourcePatternTypes.ANY,
    operation: AclOperationTypes.ANY,
    permissionType: AclPermissionTypes.ANY,
  })
  return resources.flatMap(({ resourceType, resourceName, resourcePatternType, acls: found }) =>
    found.map((acl) =>
      [
        resourceType,
        resourceName,
        resourcePatternType,
        acl.host,
        acl.operation,
        acl.permissionType,
      ].join(' '),
    ),
  )
}

test('what is allowed is known to the broker when the call is done, and twice is once', async () => {
  const principal = `User:${randomUUID()}`
  const wanted = [topicOf(principal, uniqueName('acl')), groupsOf(principal, 'some')]

  await acls.allow(wanted)
  await acls.allow(wanted)

  const seen = await seenOutside(principal)
  expect(seen.sort()).toEqual([`2 ${wanted[0]?.name ?? ''} 3 * 3 3`, '3 some 4 * 3 3'])
  expect(await ofPrincipal(principal)).toEqual(expect.arrayContaining(wanted))
  await acls.disallow([principal])
})

test('disallowing takes all that a principal may, of whatever form, and nothing of others', async () => {
  const gone = `User:${randomUUID()}`
  const kept = `User:${randomUUID()}`
  await acls.allow([topicOf(gone, 'a'), groupsOf(gone, 'b'), topicOf(kept, 'a')])
  await outside.createAcls({
    acl: [
      {
        principal: gone,
        resourceType: AclResourceTypes.TOPIC,
        resourceName: 'c',
        resourcePatternType: ResourcePatternTypes.PREFIXED,
        host: '10.0.0.1',
        operation: AclOperationTypes.WRITE,
        permissionType: AclPermissionTypes.ALLOW,
      },
    ],
  })

  await acls.disallow([gone])
  await acls.disallow([gone])

  expect(await seenOutside(gone)).toEqual([])
  expect(await ofPrincipal(kept)).toEqual([topicOf(kept, 'a')])
  await acls.disallow([kept])
})

test('many are allowed and disallowed at once', async () => {
  const principals = Array.from({ length: 450 }, () => `User:${randomUUID()}`)
  const mine = async () =>
    (await acls.list()).filter(({ principal }) => principals.includes(principal)).length

  await acls.allow(principals.map((principal) => topicOf(principal, 'a')))
  expect(await mine()).toBe(450)

  await acls.disallow(principals)
  expect(await mine()).toBe(0)
})

test('a broker without an authorizer is told from one that refuses', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-acls-'))
  const stack = await startStack({
    folder,
    ports: 'free',
    schemaRegistryUrl: 'http://127.0.0.1:9',
    brokerSettings: { 'authorizer.class.name': '' },
  })
  const open = createAcls(connect([stack.kafkaBrokers]))
  try {
    const principal = `User:${randomUUID()}`
    const refused = { code: 'kafka.no_authorizer' }
    await expect(open.list()).rejects.toMatchObject(refused)
    await expect(open.allow([topicOf(principal, 'a')])).rejects.toMatchObject(refused)
    await expect(open.disallow([principal])).rejects.toMatchObject(refused)
  } finally {
    await open.close()
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
