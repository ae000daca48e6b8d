// The preparation of tests about keys: a contract with personal fields, and an input stream with keys.
import { addContract } from '../../src/control/contracts/add-contract.ts'
import { createInput } from '../../src/control/streams/create-stream.ts'
import { eraseRests } from '../../src/control/erasure/erase-rest.ts'
import { erasePeople } from '../../src/control/erasure/erase.ts'
import type { Erased, EraseRequest } from '../../src/control/erasure/erase.ts'
import { requireInput } from '@weir/control-state'
import type { InputStream } from '@weir/control-state'
import type { Memory } from './support-memory.ts'

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

/** Like `makeClicks`, with a contract that has these fields. */
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

const notSearched = { values: 0, events: 0, by: [], searchedAtMs: 0 }

/** An erasure of values of the key field. */
export const byKeyField = {
  as: ['key_field'],
  links: new Map(),
  found: notSearched,
  evenIfNoneFound: true,
} as const

/** Erases a data subject with these links. */
export const eraseSubject = (
  deps: Memory['deps'],
  { subject, ...request }: Pick<EraseRequest, 'stream' | 'links'> & { readonly subject: string },
): Promise<Erased> =>
  erasePeople(deps, {
    as: ['data_subject_field'],
    values: [subject],
    found: notSearched,
    evenIfNoneFound: false,
    ...request,
  })

/** Erases values of the stream `clicks`, or withdraws levels, in as many transactions as necessary. */
export async function eraseClicks(
  deps: Memory['deps'],
  request: Pick<EraseRequest, 'values' | 'levels' | 'reference'>,
): Promise<Erased> {
  const stream = requireInput(deps.follower.tables, 'acme', 'clicks')
  const erased = await erasePeople(deps, { stream, ...byKeyField, ...request })
  await eraseToEnd(deps)
  return erased
}

/** Also erases what does not fit into one transaction. */
export async function eraseToEnd(deps: Memory['deps']): Promise<void> {
  while ((await eraseRests(deps)) < 1_000);
}
