// Of which contracts an erasure covers events: those that name a field in which its values may stand. Archived ones count, as
// their events may be stored.
import type { ContractRecord, ErasureTerm } from '@weir/control-state'

export type ErasureContracts = {
  readonly naming: readonly { readonly id: string; readonly field: string }[]
  readonly others: readonly string[]
}

export function contractsBy(
  as: ErasureTerm,
  contracts: readonly ContractRecord[],
): ErasureContracts {
  const fieldOf = ({ keyField, dataSubjectField }: ContractRecord): string | undefined =>
    as === 'key_field' ? keyField : dataSubjectField
  const naming = contracts.flatMap((contract) => {
    const field = fieldOf(contract)
    return field === undefined ? [] : [{ id: contract.id, field }]
  })
  const others = contracts.filter((contract) => fieldOf(contract) === undefined)
  return { naming, others: others.map(({ id }) => id) }
}
