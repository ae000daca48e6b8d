// The changes that publish a contract (docs/architecture.md 12). `claimSubject` runs before the schema is registered.
// Then `addContract` writes the contract's record, together with the key records of new levels. A published contract
// never changes; a new version has a new id.
import { contractWarnings } from '@weir/contracts'
import type { PreparedContract } from '@weir/contracts'
import { refusal } from '../../errors.ts'
import {
  act,
  contractKey,
  noContract,
  partOf,
  requireAccount,
  subjectKey,
} from '@weir/control-state'
import type { ContractRecord, Draft } from '@weir/control-state'
import { putKeyRecords } from '../keys/keep-eras.ts'
import { requireQuota } from '../quotas.ts'
import type { Changes } from '../changes.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'

export async function claimSubject(
  deps: Changes,
  request: { billingId: string; id: string; subject: string },
): Promise<void> {
  const { billingId, id, subject } = request
  await deps.writer.change(partOf('contract.create'), (draft) => {
    requireQuota(draft, requireAccount(draft, billingId), { contracts: 1 })
    requireFreeId(draft, billingId, id)
    const owner = subjectOwnerIn(draft, subject)
    if (owner !== undefined && owner !== billingId)
      throw refusal(
        'invalid',
        `schema.schema_registry_ref: the subject ${subject} is taken; choose one that starts with your own billing id, such as ${billingId}-events`,
      )
    if (draft.subjectOwner(subject) === undefined)
      draft.put(subjectKey(subject), { type: 'subject-owner', subject, ownerBillingId: billingId })
  })
}

/**
 * Returns the owner of a subject: the first account that used it. The owner of an unused subject is the account with
 * the longest name that the subject starts with, such as `acme` for `acme-clicks`.
 */
export function subjectOwnerIn(
  tables: Pick<Draft, 'account' | 'subjectOwner'>,
  subject: string,
): string | undefined {
  const owner = tables.subjectOwner(subject)
  if (owner !== undefined) return owner
  return beginningsOf(subject).findLast((name) => tables.account(name) !== undefined)
}

/** Returns the text before each character that is neither letter nor digit, and the whole text. */
const beginningsOf = (subject: string): string[] => [
  ...[...subject.matchAll(/[^a-z0-9]/gi)].map(({ index }) => subject.slice(0, index)),
  subject,
]

export type ContractRequest = {
  billingId: string
  prepared: PreparedContract
  schemaRegistryRef: string
  subject: string
  registryId: number
  registryVersion: number
}

/** Returns the stored contract, with warnings about probable mistakes. */
export async function addContract(
  deps: Changes & { readonly wrappingKeys: WrappingKeys },
  request: ContractRequest,
): Promise<{ contract: ContractRecord; warnings: string[] }> {
  const { billingId, prepared } = request
  const newLevels = Object.values(prepared.piiFields)
  const what = act(deps, 'contract.create', { account: billingId, contract: prepared.id })
  return deps.wrappingKeys.changeFor(what, { billingId, newLevels }, (draft) => {
    requireQuota(draft, requireAccount(draft, billingId), { contracts: 1 })
    requireFreeId(draft, billingId, prepared.id)
    const contract = contractRecord(request, deps.now())
    draft.put(contractKey(billingId, prepared.id), contract)
    for (const stream of draft.streamsOf(billingId))
      if (stream.kind === 'input' && stream.state !== 'deleting') putKeyRecords(deps, draft, stream)
    return {
      contract,
      warnings: [
        ...contractWarnings(prepared),
        ...subjectWarnings(contract),
        ...keyFieldWarnings(draft, contract),
      ],
    }
  })
}

export async function archiveContract(
  deps: Changes,
  request: { billingId: string; id: string },
): Promise<ContractRecord> {
  const { billingId: account, id } = request
  return deps.writer.change(act(deps, 'contract.archive', { account, contract: id }), (draft) => {
    const contract = draft.contract(request.billingId, request.id)
    if (contract === undefined) throw noContract(request.id)
    const archived: ContractRecord = { ...contract, status: 'archived' }
    draft.put(contractKey(contract.billingId, contract.id), archived)
    return archived
  })
}

function contractRecord(request: ContractRequest, nowMs: number): ContractRecord {
  const { prepared } = request
  return {
    type: 'contract',
    billingId: request.billingId,
    id: prepared.id,
    status: 'active',
    schemaRegistryRef: request.schemaRegistryRef,
    subject: request.subject,
    registryId: request.registryId,
    registryVersion: request.registryVersion,
    schemaText: prepared.schemaText,
    validations: prepared.validations,
    keyField: prepared.keyField,
    piiFields: prepared.piiFields,
    ...(prepared.dataSubjectField === undefined
      ? {}
      : { dataSubjectField: prepared.dataSubjectField }),
    createdAtMs: nowMs,
  }
}

function requireFreeId(draft: Draft, billingId: string, id: string): void {
  if (draft.contract(billingId, id) !== undefined)
    throw refusal(
      'name_taken',
      `The contract ${id} exists already, and a published contract never changes; choose a new id`,
    )
}

function subjectWarnings({ dataSubjectField, piiFields }: ContractRecord): string[] {
  if (dataSubjectField === undefined || piiFields[dataSubjectField] !== undefined) return []
  return [
    `The data subject field ${dataSubjectField} is not among the PII fields: its values are stored and delivered in the clear`,
  ]
}

/**
 * Warns about contracts that give their key field another level: a value is as secret as the lowest level that any
 * contract of the stream gives it (docs/keys.md). Anyone who sees the value in one contract's events can identify the
 * person in the events of other contracts.
 */
function keyFieldWarnings(draft: Draft, contract: ContractRecord): string[] {
  const levelOf = (each: ContractRecord): number | undefined => each.piiFields[each.keyField]
  const text = (level: number | undefined): string =>
    level === undefined ? 'in the clear' : `at level ${level}`
  const mine = levelOf(contract)
  const others = draft
    .contractsOf(contract.billingId)
    .filter((other) => other.status === 'active' && levelOf(other) !== mine)
  return [...Map.groupBy(others, levelOf)].map(
    ([level, of]) =>
      `The key field ${contract.keyField} is ${text(mine)}, and ${text(level)} in ${namesOf(of)}: ` +
      'in one stream, key field values are as secret as the lower of the two',
  )
}

const namesMax = 5

/** Returns the ids of contracts, with their key fields. */
function namesOf(contracts: readonly ContractRecord[]): string {
  const names = contracts.slice(0, namesMax).map(({ id, keyField }) => `${id} (${keyField})`)
  const more = contracts.length - names.length
  const contract = contracts.length === 1 ? 'the contract' : 'the contracts'
  return `${contract} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
