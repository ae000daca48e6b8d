// Who may read what in Kafka, as streams and their credentials are created and deleted. A list replaces Kafka.
// services/auth/test/access/access.integration.test.ts uses a real broker.
import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import { cleanUp } from '../../../src/control/streams/clean-up.ts'
import { createDerived } from '../../../src/control/streams/create-stream.ts'
import { deleteOutput, deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { createReadAccess } from '../../../src/control/acls/read-access.ts'
import {
  addCredential,
  patchStream,
  deleteCredential,
} from '../../../src/control/streams/change-stream.ts'
import { streamKey } from '@weir/control-state'
import { given, inputStream, log } from '../../../../../packages/control-state/test/support.ts'
import { memoryControl, noServices } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'

const out = { billingId: 'acme', name: 'out', input: 'clicks' }

/** Creates an input stream, and an output with its first credentials. */
async function withOutput(): Promise<Memory & { clientId: string; mine: string[] }> {
  const memory = memoryControl()
  await memory.deps.writer.change(given, (draft) =>
    draft.put(streamKey('acme', 'clicks'), inputStream()),
  )
  memory.kafka.topics.set('acme.clicks', [0n])
  const { credential } = await makeOutput(memory)
  const { clientId } = credential.credential
  return { ...memory, clientId, mine: readsOf(clientId) }
}

const makeOutput = ({ deps }: Memory) =>
  createDerived(deps, {
    billingId: 'acme',
    name: 'out',
    linkedStream: 'clicks',
    tags: [],
    consentLevels: [0],
    consentLevelType: 'CUMULATIVE',
    decrypterName: 'default',
    from: 'now',
  })

const readsOf = (clientId: string): string[] =>
  [clientId, 'acme.out'].map((name) => `User:${clientId} ${name}`)

const disable = ({ deps }: Memory, enabled = false) => patchStream(deps, out, { enabled })

test('whoever is told of an output may read it', async () => {
  const memory = await withOutput()
  expect(memory.kafka.acls.readable()).toEqual(memory.mine)
  const { credential } = await addCredential(memory.deps, out)
  expect(memory.kafka.acls.readable()).toEqual([...memory.mine, ...readsOf(credential.clientId)])
})

test('revoked credentials may read nothing, the others go on', async () => {
  const memory = await withOutput()
  const { credential } = await addCredential(memory.deps, out)
  await deleteCredential(memory.deps, out, memory.clientId)
  expect(memory.kafka.acls.readable()).toEqual(readsOf(credential.clientId))
})

test('Kafka is told before the record changes: what it can not do now is not done at all', async () => {
  const memory = await withOutput()
  const attempts = [
    () => deleteCredential(memory.deps, out, memory.clientId),
    () => disable(memory),
    () => deleteOutput(memory.deps, out),
    () => deleteStream(memory.deps, { billingId: 'acme', name: 'clicks', recursive: true }),
  ]
  for (const attempt of attempts) {
    memory.kafka.fail('disallow')
    await expect(attempt()).rejects.toMatchObject({ code: 'kafka.unavailable' })
    expect(memory.follower.tables.credential(memory.clientId)?.stream).toMatchObject({
      enabled: true,
      state: 'ready',
    })
  }
  expect(memory.looksAtAccessAsked()).toBe(attempts.length)
})

test('a refused change revokes no access', async () => {
  const memory = await withOutput()
  const request = { billingId: 'acme', name: 'clicks', recursive: false }
  await expect(deleteStream(memory.deps, request)).rejects.toMatchObject({ code: 'has_outputs' })
  await expect(deleteCredential(memory.deps, out, 'nobody')).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(memory.kafka.acls.readable()).toEqual(memory.mine)
})

test('a disabled stream is read by nobody until it is enabled again', async () => {
  const memory = await withOutput()
  await disable(memory)
  expect(memory.kafka.acls.readable()).toEqual([])
  await addCredential(memory.deps, out)
  expect(memory.kafka.acls.readable()).toEqual([])
  await disable(memory, true)
  expect(memory.kafka.acls.readable()).toHaveLength(4)
})

test('access granted by a replica that did not know yet is revoked when the record has changed', async () => {
  const memory = await withOutput()
  const { change } = memory.deps.writer
  // Given: another replica reconciles after the revocation in Kafka, before the record changes.
  let changes = 0
  const writer: typeof memory.deps.writer = {
    ...memory.deps.writer,
    async change(what, decide) {
      changes += 1
      if (changes === 2) await memory.replica('two').access.settle()
      return change(what, decide)
    },
  }
  await deleteCredential({ ...memory.deps, writer }, out, memory.clientId)
  expect(memory.kafka.calls.filter((call) => call.startsWith('allow'))).toHaveLength(2)
  expect(memory.kafka.acls.readable()).toEqual([])
})

test('who lets in credentials that are revoked at the same time takes it back', async () => {
  const memory = await withOutput()
  const { acls } = memory.kafka
  const slow = createReadAccess({
    follower: memory.follower,
    log,
    isRequired: true,
    principals: noServices,
    acls: {
      ...acls,
      async allow(wanted) {
        await deleteCredential(memory.deps, out, memory.clientId)
        await acls.allow(wanted)
      },
    },
  })
  await slow.grant(out)
  expect(memory.follower.tables.credential(memory.clientId)).toBeUndefined()
  expect(acls.readable()).toEqual([])
})

test('credentials that Kafka does not let in are not left behind', async () => {
  const memory = await withOutput()
  memory.kafka.fail('allow')
  await expect(addCredential(memory.deps, out)).rejects.toMatchObject({ code: 'kafka.unavailable' })
  expect(memory.follower.tables.stream('acme', 'out')?.credentials).toHaveLength(1)
})

test('a name is free only when nobody may read its topic any more', async () => {
  const memory = await withOutput()
  await deleteOutput(memory.deps, out)
  await memory.kafka.acls.allow([
    {
      principal: `User:${memory.clientId}`,
      resource: 'topic',
      name: 'acme.out',
      pattern: 'literal',
      operation: 'read',
    },
  ])
  memory.passTime(6_000)
  memory.kafka.fail('disallow')
  expect(await cleanUp(memory.deps)).toBeGreaterThan(0)
  expect(memory.follower.tables.stream('acme', 'out')?.state).toBe('deleting')
  expect(memory.kafka.topics.has('acme.out')).toBe(true)
  expect(await cleanUp(memory.deps)).toBeUndefined()
  expect(memory.kafka.acls.readable()).toEqual([])
  expect(memory.follower.tables.stream('acme', 'out')).toBeUndefined()
})

test('settling gives what was made before there were ACLs, and takes what is left of the dead', async () => {
  const memory = await withOutput()
  await memory.kafka.acls.disallow([`User:${memory.clientId}`])
  const dead = '11111111-2222-4333-8444-555555555555'
  await memory.kafka.acls.allow([
    {
      principal: `User:${dead}`,
      resource: 'group',
      name: dead,
      pattern: 'prefixed',
      operation: 'read',
    },
    {
      principal: `User:${dead}`,
      resource: 'topic',
      name: 'acme.old',
      pattern: 'literal',
      operation: 'read',
    },
    {
      principal: 'User:other',
      resource: 'topic',
      name: 'acme.out',
      pattern: 'literal',
      operation: 'read',
    },
  ])
  await memory.deps.access.settle()
  expect(memory.kafka.acls.readable()).toEqual(['User:other acme.out', ...memory.mine])
})

test('without an authorizer everything goes on, unless one is required', async () => {
  const { follower } = await withOutput()
  const none = async (): Promise<never> => {
    throw new AppError('kafka.no_authorizer', 'Kafka has no authorizer')
  }
  const acls = { list: none, allow: none, revoke: none, disallow: none }
  const principals = noServices
  const auto = createReadAccess({ acls, follower, log, principals, isRequired: false })
  const required = createReadAccess({ acls, follower, log, principals, isRequired: true })
  for (const name of ['grant', 'revoke', 'settle'] as const) {
    const ask = (access: typeof auto) =>
      name === 'grant'
        ? access.grant(out)
        : name === 'revoke'
          ? access.revoke(['a'])
          : access.settle()
    await expect(ask(auto)).resolves.toBeUndefined()
    await expect(ask(required)).rejects.toMatchObject({ code: 'refused' })
  }
})
