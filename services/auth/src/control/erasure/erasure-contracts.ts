// Selects the contracts whose events an erasure covers: those with a field that can contain its values. Archived
// contracts count, because their events may still be stored.
import type { ContractRecord, ErasureTerm } from '@weir/control-state'

export type ErasureContracts = {
  readonly naming: readonly { readonly id: string; readonly field: string }[]
  readonly others: readonly string[]
}

const fieldBy = (
  term: ErasureTerm,
  { keyField, dataSubjectField }: ContractRecord,
): string | undefined => (term === 'key_field' ? keyField : dataSubjectField)

export function contractsBy(
  as: readonly ErasureTerm[],
  contracts: readonly ContractRecord[],
): ErasureContracts {
  const naming = contracts.flatMap((contract) =>
    as.flatMap((term) => {
      const field = fieldBy(term, contract)
      return field === undefined ? [] : [{ id: contract.id, field }]
    }),
  )
  const named = new Set(naming.map(({ id }) => id))
  return { naming, others: contracts.map(({ id }) => id).filter((id) => !named.has(id)) }
}
