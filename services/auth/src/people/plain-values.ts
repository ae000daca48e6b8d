// Finds people by values that a topic contains in the clear: an output has decrypted the field that names them, or a
// contract does not declare this field as personal. So values that are left after an erasure are found, too, although
// no link to the person exists any more. Nothing is decrypted.
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
