import { expect, test } from '@jest/globals'
import { frameHead } from '@weir/schema-registry'
import type { ContractRecord } from '@weir/control-state'
import { createActiveContracts } from '../../src/event/active-contracts.ts'
import { contractRecord } from '../support/records.ts'

/** Returns control state with one contract, which may appear or change at a refresh. */
function follower(before: ContractRecord | undefined, after = before) {
  let record = before
  let looks = 0
  return {
    tables: {
      contract: (billingId: string, id: string) =>
        record?.billingId === billingId && record.id === id ? record : undefined,
    },
    async refresh() {
      looks += 1
      record = after
    },
    looks: () => looks,
    set: (changed: ContractRecord) => void (record = changed),
  }
}

test('a contract is compiled once and found without waiting', async () => {
  const find = createActiveContracts(follower(await contractRecord()))
  const first = find('acme', 'clickstream')
  expect(first).toMatchObject({ frameHead: frameHead(7), contract: { id: 'clickstream' } })
  expect(find('acme', 'clickstream')).toBe(first)
})

test('a changed record is compiled anew', async () => {
  const state = follower(await contractRecord())
  const find = createActiveContracts(state)
  const first = find('acme', 'clickstream')
  state.set(await contractRecord({ registryId: 8 }))
  expect(find('acme', 'clickstream')).toMatchObject({ frameHead: frameHead(8) })
  expect(find('acme', 'clickstream')).not.toBe(first)
})

test('one that is not there is looked for once more', async () => {
  const state = follower(undefined, await contractRecord())
  expect(await createActiveContracts(state)('acme', 'clickstream')).toMatchObject({
    frameHead: frameHead(7),
  })
  expect(state.looks()).toBe(1)
})

test.each([
  ['is not there', undefined, ''],
  ['is archived', { status: 'archived' as const }, ' (the contract is archived)'],
  ["is another account's", { billingId: 'other' }, ''],
])('one that %s is unknown', async (_, more, why) => {
  const find = createActiveContracts(follower(more && (await contractRecord(more))))
  await expect(find('acme', 'clickstream')).rejects.toMatchObject({
    code: 'unknown_schema_id',
    message: `Unknown schema id: 'clickstream'${why}`,
  })
})
