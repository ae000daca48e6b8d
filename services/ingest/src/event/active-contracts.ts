// Finds an account's active contracts by their schema ids, and compiles each once. If a contract is unknown, refreshes
// control state once.
import { compileContract } from '@weir/contracts'
import type { Contract } from '@weir/contracts'
import { frameHead } from '@weir/schema-registry'
import type { ContractRecord, StateFollower, Tables } from '@weir/control-state'
import { refusal } from '../errors.ts'

export type ActiveContract = {
  readonly contract: Contract
  /** The bytes before the event in a record's value. */
  readonly frameHead: Buffer
  /** Whether the contract's events may name a data subject. */
  readonly hasSubjects: boolean
}

export function createActiveContracts(
  follower: Pick<StateFollower, 'refresh'> & { tables: Pick<Tables, 'contract'> },
): (billingId: string, schemaId: string) => ActiveContract | Promise<ActiveContract> {
  const compiled = new WeakMap<ContractRecord, ActiveContract>()

  const find = (billingId: string, schemaId: string): ActiveContract | undefined => {
    const record = follower.tables.contract(billingId, schemaId)
    if (record?.status !== 'active') return undefined
    const known = compiled.get(record)
    if (known !== undefined) return known
    const made = {
      contract: compileContract(record),
      frameHead: frameHead(record.registryId),
      hasSubjects: record.dataSubjectField !== undefined,
    }
    compiled.set(record, made)
    return made
  }

  const refresh = async (billingId: string, schemaId: string): Promise<ActiveContract> => {
    await follower.refresh()
    const contract = find(billingId, schemaId)
    if (contract !== undefined) return contract
    const isArchived = follower.tables.contract(billingId, schemaId) !== undefined
    const why = isArchived ? ' (the contract is archived)' : ''
    throw refusal('unknown_schema_id', `Unknown schema id: '${schemaId}'${why}`)
  }

  return (billingId, schemaId) => find(billingId, schemaId) ?? refresh(billingId, schemaId)
}
