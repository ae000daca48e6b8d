// Counts events by the consent levels that they were sent with. Decrypts nothing.
import { consentLevelsOf } from '@weir/contracts'
import type { ContractRecord, FoundConsent } from '@weir/control-state'
import type { SourceRecord } from '@weir/kafka'
import type { StoredEvents } from './stored-events.ts'

export function createFoundConsent(stored: StoredEvents) {
  const events = new Map<number, number>()
  return {
    add(record: SourceRecord, contract: ContractRecord | undefined): void {
      if (contract === undefined) return
      const read = stored.read(record, contract, (compiled, payload) =>
        compiled.decodePersonal(payload),
      )
      if (read === undefined) return
      for (const level of new Set(consentLevelsOf(read.event)))
        events.set(level, (events.get(level) ?? 0) + 1)
    },
    all: (): FoundConsent[] =>
      [...events].toSorted(([a], [b]) => a - b).map(([level, count]) => ({ level, events: count })),
  }
}
