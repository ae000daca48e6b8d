import { expect, test } from '@jest/globals'
import type { ContractRecord } from '@weir/control-state'
import { exampleContract } from '@weir/testkit'
import { createKnownContracts } from '../../src/derive/known-contracts.ts'
import { followerOf } from '../support/streams.ts'

const { schema, pii_fields: piiFields } = await exampleContract('demo_v1')
const recordOf = (more: Partial<ContractRecord> = {}): ContractRecord => ({
  type: 'contract',
  billingId: 'acme',
  id: 'demo_v1',
  status: 'active',
  schemaRegistryRef: 'catalog-demo_v1/latest',
  subject: 'catalog-demo_v1',
  registryId: 7,
  registryVersion: 1,
  schemaText: JSON.stringify(Object(schema).definition),
  validations: [],
  keyField: 'consistent_value',
  piiFields: Object(piiFields),
  createdAtMs: 1,
  ...more,
})

function known() {
  const { follower, put } = followerOf()
  return {
    put: (record: ContractRecord) => put(`contract/${record.billingId}/${record.id}`, record),
    contract: createKnownContracts(follower.tables),
  }
}

test('a contract is compiled once, however often it is asked for', () => {
  const { put, contract } = known()
  put(recordOf())
  expect(contract('acme', 'demo_v1')?.registryId).toBe(7)
  expect(contract('acme', 'demo_v1')).toBe(contract('acme', 'demo_v1'))
})

test('an archived contract is known still: its events lie in the topics', () => {
  const { put, contract } = known()
  put(recordOf({ status: 'archived' }))
  expect(contract('acme', 'demo_v1')?.contract.levels).toEqual([1, 2, 3])
})

test('a contract of another account, or of no account, is not known', () => {
  const { put, contract } = known()
  put(recordOf({ billingId: 'other' }))
  expect([contract('acme', 'demo_v1'), contract('other', 'demo_v2')]).toEqual([
    undefined,
    undefined,
  ])
})
