// Counts the records of a topic that are about the searched people, by contract and field, and finds which of their
// fields are decrypted.
import { eventTimeOf } from '@weir/contracts'
import { isDecryptedByReaders, opensLevel } from '@weir/control-state'
import type {
  ContractRecord,
  DecryptedField,
  DerivedStream,
  FoundBy,
  FoundInStream,
} from '@weir/control-state'
import type { SourceRecord } from '@weir/kafka'
import { createFoundConsent } from './consent-found.ts'
import type { KnownLink, PersonLinks } from './person-links.ts'
import type { createPlainValues } from './plain-values.ts'
import type { StoredEvents } from './stored-events.ts'

export type KnownContracts = ReadonlyMap<string, ContractRecord>

/** How the records of a search are matched. */
export type Looking = {
  readonly links: PersonLinks
  readonly contracts: KnownContracts
  readonly stored: StoredEvents
  readonly plain: ReturnType<typeof createPlainValues>
}

/**
 * Finds the person of a record by its keyLink, or by a value in the clear. Returns `unknown` if the record's keys are
 * deleted.
 */
const matcherOf =
  ({ links, contracts, plain }: Looking) =>
  (record: SourceRecord): KnownLink | 'unknown' | undefined => {
    const keyLink = record.headers['svc-key-link']
    if (keyLink === undefined) return undefined
    const timeMs = eventTimeOf(record)
    const known = links.of(keyLink, timeMs)
    if (typeof known !== 'string') return known
    if (known === 'foreign') return undefined
    const named = plain(record, contractOf(record, contracts))
    if (named !== undefined) return { ...named, ...links.reach(keyLink, timeMs) }
    return known === 'unknown' ? known : undefined
  }

export function createMatches(looking: Looking, output: DerivedStream | undefined) {
  const { contracts } = looking
  const [matcher, by] = [matcherOf(looking), createFoundBy(contracts)]
  const consent = createFoundConsent(looking.stored)
  const perValue = new Map<number, number>()
  const decrypted = createDecrypted(output)
  const withdrawn = new Set<number>()
  let [events, erased, older, newestMs] = [0, 0, 0, 0]

  function addMatch(record: SourceRecord, known: KnownLink): void {
    const contract = contractOf(record, contracts)
    by.add(record, known)
    events += 1
    if (output === undefined) consent.add(record, contract)
    if (known.isErased) erased += 1
    perValue.set(known.nth, (perValue.get(known.nth) ?? 0) + 1)
    for (const level of known.withdrawn) withdrawn.add(level)
    decrypted.add(record, contract)
    newestMs = Math.max(newestMs, record.timestampMs)
  }

  return {
    add(record: SourceRecord): void {
      const known = matcher(record)
      if (known === 'unknown') older += 1
      else if (known !== undefined) addMatch(record, known)
    },
    counts: () => ({ events, erased, newestMs, fields: decrypted.all() }),
    addTo(counts: number[]): void {
      for (const [nth, count] of perValue) counts[nth] = (counts[nth] ?? 0) + count
    },
    /** Returns the result for the stream. Call for the records of its input. */
    told(): Omit<FoundInStream, 'stream' | 'held'> {
      return {
        by: by.all(),
        ...(events > 0 ? { consent: consent.all() } : {}),
        ...(events > 0 && erased === events ? { erased: true } : {}),
        ...(withdrawn.size > 0 ? { withdrawn: [...withdrawn].sort((a, b) => a - b) } : {}),
        ...(older > 0 ? { notSearched: tooOld(older) } : {}),
      }
    },
  }
}

const contractOf = (
  { headers }: SourceRecord,
  contracts: KnownContracts,
): ContractRecord | undefined => contracts.get(headers['svc-schema-id']?.toString() ?? '')

/** Collects the fields that an output has decrypted, and their levels. */
function createDecrypted(output: DerivedStream | undefined) {
  const fields = new Map<string, DecryptedField>()
  return {
    add({ headers }: SourceRecord, contract: ContractRecord | undefined): void {
      if (contract === undefined || output === undefined || isDecryptedByReaders(output)) return
      const sealed = headers['svc-undecryptable']?.toString().split(',') ?? []
      for (const [path, level] of Object.entries(contract.piiFields)) {
        if (!opensLevel(output, level) || sealed.includes(path)) continue
        fields.set(`${contract.id}\n${path}`, { contract: contract.id, field: path, level })
      }
    },
    all: (): DecryptedField[] =>
      [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one),
  }
}

type Counted = {
  known: KnownLink
  contract: string
  events: number
  firstMs: number
  lastMs: number
}

function createFoundBy(contracts: KnownContracts) {
  const by = new Map<string, Counted>()
  return {
    add(record: SourceRecord, known: KnownLink): void {
      const timeMs = eventTimeOf(record)
      const contract = record.headers['svc-schema-id']?.toString() ?? ''
      const key = `${contract}\n${known.as}`
      const before = by.get(key) ?? { known, contract, events: 0, firstMs: timeMs, lastMs: timeMs }
      by.set(key, {
        ...before,
        events: before.events + 1,
        firstMs: Math.min(before.firstMs, timeMs),
        lastMs: Math.max(before.lastMs, timeMs),
      })
    },
    all: (): FoundBy[] =>
      [...by]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, counted]) => foundBy(counted, contracts)),
  }
}

const tooOld = (count: number): string =>
  `${count} events are older than the keys by which people are found (keyRetentionDays). They may be about this person, but nobody can decrypt them any more`

function foundBy(
  { known, contract: id, events, firstMs, lastMs }: Counted,
  contracts: KnownContracts,
): FoundBy {
  const { keyField = '', dataSubjectField } = contracts.get(id) ?? {}
  const field = known.as === 'key_field' ? keyField : (dataSubjectField ?? keyField)
  return {
    contract: id,
    field,
    as: known.as,
    events,
    firstAt: timeOf(firstMs),
    lastAt: timeOf(lastMs),
  }
}

const timeOf = (epochMs: number): string => new Date(epochMs).toISOString()
