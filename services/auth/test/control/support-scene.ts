// What tests of keys begin with: a contract with personal fields, and an input stream whose keys are made.
import { addContract } from '../../src/control/contracts/add-contract.ts'
import { createInput } from '../../src/control/streams/create-stream.ts'
import type { InputStream } from '@weir/control-state'
import type { Memory } from './support-memory.ts'

/** The stream `clicks` of `acme`. */
export async function makeClicks({ deps }: Memory, keyRetentionDays = 365): Promise<InputStream> {
  const { stream } = await createInput(deps, {
    billingId: 'acme',
    name: 'clicks',
    tags: [],
    limits: { eventRate: '1', eventCount: '1' },
    partitions: 1,
    rotationHours: 24,
    keyRetentionDays,
  })
  return stream
}

/** The same, after a contract that has these fields. */
export async function makeClicksOf(
  memory: Memory,
  piiFields: Readonly<Record<string, number>>,
): Promise<InputStream> {
  const prepared = { id: 'x', schemaText: '{}', validations: [], keyField: 'a', piiFields }
  const contract = {
    schemaRegistryRef: 'c-x/latest',
    subject: 'c-x',
    registryId: 1,
    registryVersion: 1,
  }
  await addContract(memory.deps, { billingId: 'acme', prepared, ...contract })
  return makeClicks(memory)
}
