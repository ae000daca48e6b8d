// The Kafka rights of ingest and output, as streams are created and deleted. A list replaces Kafka.
// tools/testkit/test/security/taken-over.integration.test.ts attacks a real broker.
import { expect, test } from '@jest/globals'
import type { Acl } from '@weir/kafka'
import { cleanUp } from '../../../src/control/streams/clean-up.ts'
import { createDerived, createInput } from '../../../src/control/streams/create-stream.ts'
import { deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { createReadAccess } from '../../../src/control/acls/read-access.ts'
import { log } from '../../../../../packages/control-state/test/support.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'

const principals = { ingest: 'User:weir-ingest', output: 'User:weir-output' }

async function withOutput(): Promise<Memory> {
  const memory = memoryControl('acme', undefined, principals)
  await memory.deps.access.settle()
  await createInput(memory.deps, {
    billingId: 'acme',
    name: 'clicks',
    tags: [],
    limits: { eventRate: '1', eventCount: '1' },
    partitions: 1,
    rotationHours: 24,
    keyRetentionDays: 365,
  })
  await createDerived(memory.deps, {
    billingId: 'acme',
    name: 'out',
    linkedStream: 'clicks',
    tags: [],
    consentLevels: [0],
    consentLevelType: 'CUMULATIVE',
    decrypterName: 'default',
    from: 'now',
  })
  return memory
}

const textOf = ({ operation, resource, name, pattern }: Acl): string =>
  `${operation} ${resource} ${name}${pattern === 'prefixed' ? '*' : ''}`

async function heldBy({ kafka }: Memory, principal: string): Promise<string[]> {
  const found = await kafka.acls.list()
  return found.flatMap((acl) => (acl.principal === principal ? [textOf(acl)] : [])).sort()
}
const streamsOnly = (held: readonly string[]): string[] => held.filter((each) => /acme/.test(each))

const standing = {
  ingest: [
    'read topic weir.control',
    'read topic weir.counts',
    'read topic weir.keys',
    'read topic weir.replicas',
    'write topic weir.counts',
    'write topic weir.replicas',
    'write topic weir.subjects',
    'write topic weir.usage',
  ],
  output: [
    'read topic weir.control',
    'read topic weir.keys',
    'read topic weir.replicas',
    'write topic weir.accesses',
    'write topic weir.replicas',
    'write transactionalId weir.derive.*',
  ],
}

test('ingest writes input topics alone, output reads them and writes derived ones alone', async () => {
  const memory = await withOutput()
  const [ingest, output] = [
    await heldBy(memory, principals.ingest),
    await heldBy(memory, principals.output),
  ]
  expect(streamsOnly(ingest)).toEqual(['write topic acme.clicks'])
  expect(streamsOnly(output)).toEqual([
    'read group weir.acme.out',
    'read topic acme.clicks',
    'read topic acme.out',
    'read topic acme.out.dead',
    'write topic acme.out',
    'write topic acme.out.dead',
  ])
  expect(ingest.filter((each) => !streamsOnly(ingest).includes(each))).toEqual(standing.ingest)
  expect(output.filter((each) => !streamsOnly(output).includes(each))).toEqual(standing.output)
})

test('a name is free only when no service may do anything in its topics any more', async () => {
  const memory = await withOutput()
  await deleteStream(memory.deps, { billingId: 'acme', name: 'clicks', recursive: true })
  memory.passTime(6_000)
  memory.kafka.fail('revoke')
  expect(await cleanUp(memory.deps)).toBeGreaterThan(0)
  expect(memory.follower.tables.stream('acme', 'clicks')?.state).toBe('deleting')
  while ((await cleanUp(memory.deps)) !== undefined) memory.passTime(6_000)
  expect(memory.follower.tables.stream('acme', 'clicks')).toBeUndefined()
  expect(await heldBy(memory, principals.ingest)).toEqual(standing.ingest)
  expect(await heldBy(memory, principals.output)).toEqual(standing.output)
})

test('settling gives what is missing, and takes what these principals may beyond their work', async () => {
  const memory = await withOutput()
  const before = await memory.kafka.acls.list()
  const right = { resource: 'topic', pattern: 'literal' } as const
  const other: Acl = { ...right, principal: 'User:other', name: 'acme.clicks', operation: 'write' }
  const extra = [
    { ...right, principal: principals.output, name: 'acme.clicks', operation: 'write' },
    { ...right, principal: principals.output, name: '*', operation: 'all' },
    { ...right, principal: principals.ingest, name: 'acme.out', operation: 'write' },
  ] as const
  await memory.kafka.acls.allow([other, ...extra])
  await memory.kafka.acls.revoke(before.filter(({ name }) => name === 'acme.clicks'))
  await memory.deps.access.settle()
  expect(new Set(await memory.kafka.acls.list())).toEqual(new Set([...before, other]))
})

test('who grants for a stream that goes at the same time takes it back', async () => {
  const memory = await withOutput()
  const stream = memory.follower.tables.stream('acme', 'out')
  if (stream === undefined) throw new Error('it was just made')
  const { acls } = memory.kafka
  const slow = createReadAccess({
    follower: memory.follower,
    log,
    isRequired: true,
    principals,
    acls: {
      ...acls,
      async allow(wanted) {
        await deleteStream(memory.deps, { billingId: 'acme', name: 'clicks', recursive: true })
        do memory.passTime(6_000)
        while ((await cleanUp(memory.deps)) !== undefined)
        await acls.allow(wanted)
      },
    },
  })
  await slow.serve(stream)
  expect(streamsOnly(await heldBy(memory, principals.output))).toEqual([])
})
