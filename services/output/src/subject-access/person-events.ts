// Finds the events of one person among the records of an input topic. The link in a record's keyLink identifies the
// person. Every personal field is decrypted if its key still exists, and this deployment may decrypt its level. Consent
// is ignored, because the person asks for the events.
import { consentLevelsOf, eventTimeOf } from '@weir/contracts'
import type { Event } from '@weir/contracts'
import { consentOf, eraAt, keyTimeOf, openKeyLink, prefixesOf, termOf } from '@weir/fieldcrypt'
import type { Consent, EraKeys, Opened } from '@weir/fieldcrypt'
import type { SourceRecord } from '@weir/kafka'
import { unframe } from '@weir/schema-registry'
import type { AccessPerson, InputStream } from '@weir/control-state'
import type { DeriveDeps } from '../derive/derive.ts'
import { notKnownYet, unlessCorrupt } from '../derive/errors.ts'
import type { KnownContract } from '../derive/known-contracts.ts'
import type { LevelsAllowed } from '../derive/levels.ts'
import { withdrawnBy } from '../derive/known-eras.ts'
import type { InEvent, NotDecrypted, PersonEvent } from './event-lines.ts'

type Input = Pick<InputStream, 'streamId' | 'rotationHours'>

export type PersonAsked = AccessPerson & {
  readonly input: Input
  /** A range of event times; `fromMs` is inclusive, `untilMs` is exclusive. */
  readonly fromMs?: number | undefined
  readonly untilMs?: number | undefined
}

/**
 * Returns the person's event, or undefined if the record belongs to another person, is outside the range of times, or
 * is erased.
 * @throws DeriveError `derive.not_known_yet` if a key is missing
 */
export type PersonEventOf = (record: SourceRecord) => PersonEvent | undefined

const hourMs = 3_600_000

type Matching = {
  /** The names of consent levels in the account. */
  readonly titles: ReadonlyMap<number, string>
  /** The levels for which a term has keys. */
  readonly levelsIn: (term: number) => readonly number[]
  readonly asked: PersonAsked
  readonly allowed: LevelsAllowed
}

export const matchingEvents =
  (derive: DeriveDeps, { asked, ...opening }: Matching): PersonEventOf =>
  (record) => {
    const found = matchOf(derive, asked, record)
    if (found === undefined || isErased(found, opening)) return undefined
    return eventOf({ derive, isNamed: asked.isNamed, ...opening }, found)
  }

type Found = {
  readonly record: SourceRecord
  readonly keyLink: Buffer
  readonly link: Uint8Array
  readonly keys: EraKeys
  readonly timeMs: number
  readonly input: Input
}

function matchOf(
  { eraKeys }: DeriveDeps,
  { input, links, fromMs = -Infinity, untilMs = Infinity }: PersonAsked,
  record: SourceRecord,
): Found | undefined {
  const keyLink = record.headers['svc-key-link']
  const timeMs = eventTimeOf(record)
  const era = eraAt(timeMs)
  const wanted = links.get(termOf(era))
  if (keyLink === undefined || wanted === undefined || timeMs < fromMs || timeMs >= untilMs)
    return undefined
  const keys = eraKeys(era)
  if (keys === 'erased' || keys === 'never') return undefined
  const label = keys?.label
  if (keys === undefined || label === undefined) throw notKnownYet(keyOf(input, era))
  const { epoch } = keyTimeOf(timeMs, input.rotationHours * hourMs)
  const link = unlessCorrupt(() => openKeyLink(label, keyLink, epoch))
  if (link === undefined || !wanted.has(Buffer.from(link).toString('hex'))) return undefined
  return { record, keyLink, link, keys, timeMs, input }
}

function isErased({ link, keys }: Found, { levelsIn }: Pick<Matching, 'levelsIn'>): boolean {
  const levels = levelsIn(keys.term)
  // In a term without keys of levels, a person can only be erased completely.
  const paths = levels.length === 0 ? prefixesOf(link) : prefixesOf(link, levels)
  return paths.every((path) => keys.tree.find(path) === 'erased')
}

type Opening = Pick<Matching, 'allowed' | 'titles'> &
  Pick<AccessPerson, 'isNamed'> & { readonly derive: DeriveDeps }

function eventOf(opening: Opening, found: Found): PersonEvent {
  const { record, timeMs } = found
  const contract = record.headers['svc-schema-id']?.toString('utf8') ?? ''
  // Outputs handle the event as if it had been sent without these levels.
  const withdrawn = withdrawnBy(found.keys, found.link)
  const told = {
    contract,
    time: new Date(timeMs).toISOString(),
    ...(withdrawn.length === 0 ? {} : { withdrawn }),
  }
  const known = opening.derive.contract(contract)
  const event = known && unlessCorrupt(() => decoded(known, record))
  const consent = event && unlessCorrupt(() => consentOf(consentLevelsOf(event)))
  if (known === undefined || event === undefined || consent === undefined)
    return { ...told, unreadable: 'the record cannot be decoded with its contract' }
  const opened = openAll(opening, { ...found, event, consent, contract: known.contract })
  const { notDecrypted, levels } = opened
  const used = [...consentLevelsOf(event), ...withdrawn, ...Object.values(levels)]
  const plain = {
    ...told,
    ...purposesOf(opening, used),
    ...(Object.keys(levels).length === 0 ? {} : { levels }),
    person: whoIn(event, { ...known, ...opening, notDecrypted }),
    event: known.contract.toPlain(event),
  }
  return Object.keys(notDecrypted).length === 0 ? plain : { ...plain, notDecrypted }
}

type Naming = Pick<KnownContract, 'contract' | 'keyField' | 'dataSubjectField'> &
  Pick<AccessPerson, 'isNamed'> & { readonly notDecrypted: Readonly<Record<string, NotDecrypted>> }

/** Returns whom the decrypted event names. Events of a device or a session may name other people, or nobody. */
function whoIn(
  event: Event,
  { contract, keyField, dataSubjectField, isNamed, notDecrypted }: Naming,
): InEvent {
  const subject = contract.dataSubjectOf(event)
  if ([contract.keyOf(event), subject].some((value) => value !== undefined && isNamed(value)))
    return 'searched'
  if ([keyField, dataSubjectField].some((field = '') => notDecrypted[field] !== undefined))
    return 'encrypted'
  return subject === undefined ? 'linked' : 'other'
}

function purposesOf({ titles }: Opening, levels: readonly number[]) {
  const named = [...titles].filter(([level]) => levels.includes(level))
  return named.length === 0 ? {} : { purposes: Object.fromEntries(named) }
}

function decoded({ contract, registryId }: KnownContract, { value }: SourceRecord) {
  if (value === null) return undefined
  const { schemaId, payload } = unframe(value)
  return schemaId === registryId ? contract.decode(payload) : undefined
}

type ToOpen = Found & {
  readonly event: Event
  readonly consent: Consent
  readonly contract: KnownContract['contract']
}

/**
 * Decrypts the permitted fields in place. Returns why the other fields stay encrypted, and the levels of all personal
 * fields.
 */
function openAll(
  { derive: { opener }, allowed }: Opening,
  { event, consent, contract, keys, keyLink, timeMs, input }: ToOpen,
): { notDecrypted: Record<string, NotDecrypted>; levels: Record<string, number> } {
  const time = keyTimeOf(timeMs, input.rotationHours * hourMs)
  const person = opener.person(keys, keyLink, time)
  if (person === 'unknown') throw notKnownYet(keyOf(input, time.era))
  const sealed: Record<string, NotDecrypted> = {}
  const levels: Record<string, number> = {}
  contract.mapPii(event, (text, path, level) => {
    levels[path] = level
    if (!(allowed?.includes(level) ?? true)) {
      sealed[path] = 'level_not_served'
      return text
    }
    const field = unlessCorrupt((): Opened => opener.open(person, { consent, level, path }, text))
    if (field?.kind === 'unknown') throw notKnownYet(keyOf(input, time.era))
    if (field?.kind === 'opened') return field.value
    sealed[path] = field === undefined ? 'corrupt' : 'withdrawn'
    return text
  })
  return { notDecrypted: sealed, levels }
}

const keyOf = ({ streamId }: Input, era: number): string =>
  `a key of stream ${streamId}, era ${era},`
