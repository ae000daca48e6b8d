// The limits of an account.
import { expect, test } from '@jest/globals'
import { quotasOf } from '@weir/control-state'
import { addContract, claimSubject } from '../../src/control/contracts/add-contract.ts'
import { setQuotas, usedBy } from '../../src/control/quotas.ts'
import { addCredential, patchStream } from '../../src/control/streams/change-stream.ts'
import { createInput } from '../../src/control/streams/create-stream.ts'
import { memoryControl } from './support-memory.ts'
import { eraseClicks, makeClicks, makeClicksOf } from './support-scene.ts'

const exceeded = (name: string) => ({
  code: 'quota_exceeded',
  message: expect.stringContaining(`(quota ${name})`),
})

const another = {
  billingId: 'acme',
  name: 'more',
  tags: [],
  limits: { eventRate: '1', eventCount: '1' },
  partitions: 2,
  rotationHours: 24,
  keyRetentionDays: 365,
}

test.each([
  ['streams', 1],
  ['partitions', 2],
  ['credentials', 1],
] as const)('a stream needs room in the quota %s', async (name, max) => {
  const memory = memoryControl()
  await makeClicks(memory)
  await setQuotas(memory.deps, 'acme', { [name]: max })
  await expect(createInput(memory.deps, another)).rejects.toMatchObject(exceeded(name))
  await setQuotas(memory.deps, 'acme', { [name]: max + 1 })
  await createInput(memory.deps, another)
  expect(usedBy(memory.follower.tables, 'acme')[name]).toBe(max + 1)
})

test('so do credentials, and a contract', async () => {
  const memory = memoryControl()
  const { deps } = memory
  await makeClicksOf(memory, { a: 0 })
  await setQuotas(deps, 'acme', { credentials: 1, contracts: 1 })
  const credential = addCredential(deps, { billingId: 'acme', name: 'clicks' })
  await expect(credential).rejects.toMatchObject(exceeded('credentials'))
  const contract = { billingId: 'acme', id: 'y', subject: 'c-y' }
  await expect(claimSubject(deps, contract)).rejects.toMatchObject(exceeded('contracts'))
  const prepared = { id: 'y', schemaText: '{}', validations: [], keyField: 'a', piiFields: {} }
  const registered = { schemaRegistryRef: 'c-y/latest', registryId: 1, registryVersion: 1 }
  const added = addContract(deps, { ...contract, prepared, ...registered })
  await expect(added).rejects.toMatchObject(exceeded('contracts'))
})

test('what is erased counts as well', async () => {
  const memory = memoryControl()
  await makeClicksOf(memory, { a: 0 })
  await eraseClicks(memory.deps, { values: ['ann', 'bob'] })
  await setQuotas(memory.deps, 'acme', { erasedLinks: 2 })
  const more = eraseClicks(memory.deps, { values: ['cid'] })
  await expect(more).rejects.toMatchObject(exceeded('erasedLinks'))
})

test('the limits of streams stay below the quotas, also those that are there', async () => {
  const memory = memoryControl()
  const { deps, follower } = memory
  const stream = { billingId: 'acme', name: 'clicks' }
  await makeClicks(memory)
  await patchStream(deps, stream, { limits: { eventRate: '500', eventCount: '7' } })
  await setQuotas(deps, 'acme', { eventRate: 100 })
  expect(follower.tables.stream('acme', 'clicks')).toMatchObject({
    limits: { eventRate: '100', eventCount: '7' },
  })
  const patched = patchStream(deps, stream, { limits: { eventRate: '101' } })
  await expect(patched).rejects.toMatchObject(exceeded('eventRate'))
  const limits = { eventRate: '101', eventCount: '1' }
  const made = createInput(deps, { ...another, limits })
  await expect(made).rejects.toMatchObject(exceeded('eventRate'))
})

test('those that are not named have their defaults again', async () => {
  const { deps } = memoryControl()
  await setQuotas(deps, 'acme', { streams: 1, outputs: 1 })
  const account = await setQuotas(deps, 'acme', { outputs: 2 })
  expect(quotasOf(account)).toMatchObject({ streams: 100, outputs: 2 })
})
