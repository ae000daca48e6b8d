// Finds people by values that a topic contains in the clear, because an output has decrypted the field, or the contract
// does not declare it as personal. So it also finds values that remain after an erasure, when no link to the person
// exists. Decrypts nothing.
import type { ContractRecord } from '@weir/control-state'
import type { SourceRecord } from '@weir/kafka'
import type { KnownLink, Wanted } from './person-links.ts'
import type { StoredEvents } from './stored-events.ts'

export type Named = Pick<KnownLink, 'nth' | 'as'>

/** Returns a function that says which of the values a record has in a field that names people. */
export function createPlainValues(stored: StoredEvents, { values, as }: Wanted) {
  const texts = values.map((value) => Buffer.from(value))
  return (record: SourceRecord, contract: ContractRecord | undefined): Named | undefined => {
    const { value } = record
    // Decoding every record would take long, and Avro stores texts as they are.
    if (contract === undefined || !texts.some((text) => value?.includes(text))) return undefined
    const read = stored.read(record, contract, (compiled, payload) => compiled.decode(payload))
    if (read === undefined) return undefined
    for (const kind of as) {
      const { keyOf, dataSubjectOf } = read.contract
      const found = kind === 'key_field' ? keyOf(read.event) : dataSubjectOf(read.event)
      const nth = found === undefined ? -1 : values.indexOf(found)
      if (nth >= 0) return { nth, as: kind }
    }
    return undefined
  }
}
