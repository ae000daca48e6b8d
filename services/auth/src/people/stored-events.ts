// Decodes stored events by their contracts. Nothing is decrypted.
import { compileContract } from '@weir/contracts'
import type { Contract, Event } from '@weir/contracts'
import type { ContractRecord } from '@weir/control-state'
import type { SourceRecord } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import { unframe } from '@weir/schema-registry'

export type StoredEvents = {
  /** Returns undefined for a record that does not fit the contract. */
  read(
    record: Pick<SourceRecord, 'value'>,
    contract: ContractRecord,
    decode: (contract: Contract, payload: Buffer) => Event,
  ): { readonly contract: Contract; readonly event: Event } | undefined
}

export function createStoredEvents(): StoredEvents {
  const compiled = new Map<ContractRecord, Contract>()
  const compiledOf = (record: ContractRecord): Contract => {
    const contract = compiled.get(record) ?? compileContract(record)
    compiled.set(record, contract)
    return contract
  }
  return {
    read({ value }, record, decode) {
      if (value === null) return undefined
      try {
        const { schemaId, payload } = unframe(value)
        if (schemaId !== record.registryId) return undefined
        const contract = compiledOf(record)
        return { contract, event: decode(contract, payload) }
      } catch (error) {
        if (hasCode(error, 'contracts.undecodable') || hasCode(error, 'registry.not_framed'))
          return undefined
        throw error
      }
    },
  }
}
