// Which contracts' events an erasure covers: those with a field that can contain its values. Archived contracts count, because
// their events may still be stored.
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
