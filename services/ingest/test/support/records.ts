// Records of control state, for tests without Kafka.
import { compileContract, prepareContract } from '@weir/contracts'
import { frameHead } from '@weir/schema-registry'
import { asObject, exampleContract } from '@weir/testkit'
import type { ContractRecord, InputStream } from '@weir/control-state'
import type { ActiveContract } from '../../src/event/active-contracts.ts'

export const inputStream = (more: Partial<InputStream> = {}): InputStream => ({
  type: 'stream',
  kind: 'input',
  billingId: 'acme',
  name: 'clicks',
  streamId: 'a2f1c6f4-6f0e-4d5c-9c39-0c1de4b0a111',
  state: 'ready',
  stateSinceMs: 1,
  enabled: true,
  tags: [],
  credentials: [],
  partitions: 3,
  createdAtMs: 1,
  limits: { eventRate: '10', eventCount: '3' },
  rotationHours: 24,
  keyRetentionDays: 365,
  ...more,
})

/** Returns the record of the contract clickstream of the account acme. */
export async function contractRecord(more: Partial<ContractRecord> = {}): Promise<ContractRecord> {
  const definition = await exampleContract('clickstream')
  const schemaText = JSON.stringify(asObject(definition['schema'])['definition'])
  const result = await prepareContract(definition, schemaText)
  if ('problems' in result) throw new Error(result.problems.join('; '))
  return {
    ...result.prepared,
    type: 'contract',
    billingId: 'acme',
    status: 'active',
    schemaRegistryRef: 'catalog-clickstream/latest',
    subject: 'catalog-clickstream',
    registryId: 7,
    registryVersion: 1,
    createdAtMs: 1,
    ...more,
  }
}

export async function activeContract(more: Partial<ContractRecord> = {}): Promise<ActiveContract> {
  const record = await contractRecord(more)
  return {
    contract: compileContract(record),
    frameHead: frameHead(record.registryId),
    hasSubjects: record.dataSubjectField !== undefined,
  }
}
