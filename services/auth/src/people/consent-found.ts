// The consent levels that the events of a person were sent with. Nothing is decrypted.
import { compileContract, consentLevelsOf } from '@weir/contracts'
import type { Contract } from '@weir/contracts'
import type { ContractRecord, FoundConsent } from '@weir/control-state'
import type { SourceRecord } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import { unframe } from '@weir/schema-registry'

export function createFoundConsent() {
  const compiled = new Map<ContractRecord, Contract>()
  const events = new Map<number, number>()

  function contractOf(record: ContractRecord): Contract {
    const contract = compiled.get(record) ?? compileContract(record)
    compiled.set(record, contract)
    return contract
  }

  return {
    add({ value }: SourceRecord, record: ContractRecord | undefined): void {
      if (value === null || record === undefined) return
      for (const level of new Set(levelsIn(value, record.registryId, () => contractOf(record))))
        events.set(level, (events.get(level) ?? 0) + 1)
    },
    all: (): FoundConsent[] =>
      [...events].toSorted(([a], [b]) => a - b).map(([level, count]) => ({ level, events: count })),
  }
}

/** Empty for a record that ingest did not write. */
function levelsIn(value: Buffer, registryId: number, contract: () => Contract): readonly number[] {
  try {
    const { schemaId, payload } = unframe(value)
    return schemaId === registryId ? consentLevelsOf(contract().decodePersonal(payload)) : []
  } catch (error) {
    if (hasCode(error, 'contracts.undecodable') || hasCode(error, 'registry.not_framed')) return []
    throw error
  }
}
