// Compiles each contract once. Finds archived contracts, too, because topics still contain their events.
import { compileContract } from '@weir/contracts'
import type { Contract } from '@weir/contracts'
import type { ContractRecord, Tables } from '@weir/control-state'

export type KnownContract = {
  readonly contract: Contract
  readonly registryId: number
  readonly keyField?: string
  readonly dataSubjectField?: string | undefined
}

export function createKnownContracts(
  tables: Pick<Tables, 'contract'>,
): (billingId: string, id: string) => KnownContract | undefined {
  const compiled = new WeakMap<ContractRecord, KnownContract>()
  return (billingId, id) => {
    const record = tables.contract(billingId, id)
    if (record === undefined) return undefined
    const known = compiled.get(record)
    if (known !== undefined) return known
    const { registryId, keyField, dataSubjectField } = record
    const made = { contract: compileContract(record), registryId, keyField, dataSubjectField }
    compiled.set(record, made)
    return made
  }
}
