// Derives one record for a stream: reads it, filters it by its consent, decrypts the fields that the stream may see,
// and encodes the result. Pure except for the keys. In doubt, a field is not decrypted and a record is not passed. All
// streams of an input share the decoded record. flow/ fetches the records and writes the results.
import { consentLevelsOf, timeHeader, timestampOf, writeTime } from '@weir/contracts'
import type { Contract, Event } from '@weir/contracts'
import type { Opened, Opener } from '@weir/fieldcrypt'
import { consentOf, eraAt, keyTimeOf, openKeyLink } from '@weir/fieldcrypt'
import { frameHead, unframe } from '@weir/schema-registry'
import type { OutRecord, SourceRecord } from '@weir/kafka'
import { isDecryptedByReaders } from '@weir/control-state'
import type { DerivedStream, InputStream } from '@weir/control-state'
import type { KnownEra } from './known-eras.ts'
import type { KnownContract } from './known-contracts.ts'
import { DeriveError, notKnownYet } from './errors.ts'
import { levelsOf } from './levels.ts'
import type { Levels } from './levels.ts'
import { withdrawnBy } from './known-eras.ts'

export type DeriveDeps = {
  opener: Pick<Opener, 'person' | 'open'>
  contract: (id: string) => KnownContract | undefined
  eraKeys: (era: number) => KnownEra
}

/** Returns undefined if the record's consent does not suffice for the stream. */
export type Derive = (record: SourceRecord) => OutRecord | undefined
/** Like `Derive`, for a record that is already decoded. */
export type DeriveSource = (source: Source) => OutRecord | undefined

type Input = Pick<InputStream, 'streamId' | 'rotationHours'>
/** The settings that decide which records and fields a stream gets. */
export type Leveled = Pick<DerivedStream, 'consentLevels' | 'consentLevelType' | 'keyMaxAgeSeconds'>

const hourMs = 3_600_000

/**
 * The returned function throws `derive.not_known_yet` if a key is missing: wait and try again.
 * `derive.unknown_contract` and `derive.no_such_era` are final once control state is newer than the record. For a
 * record that ingest did not write, the function throws `derive.corrupt` or an error of another package.
 */
export function createDerive(deps: DeriveDeps, stream: Leveled, input: Input): Derive {
  const derive = createDeriveSource(deps, stream, input)
  return (record) => derive(readSource(deps, record))
}

/** The returned function throws the same errors as that of `createDerive`, except those that `readSource` throws. */
export function createDeriveSource(deps: DeriveDeps, stream: Leveled, input: Input): DeriveSource {
  const levels = levelsOf(stream)
  const isForReaders = isDecryptedByReaders(stream)

  return (source) => {
    const { contract, record } = source
    if (!levels.pass(source.consent)) return undefined
    if (!levels.pass(consentLeft(deps, source, input))) return undefined
    if (isForReaders || !contract.levels.some(levels.open)) return write(source, record.value, [])
    const event = source.takeEvent()
    const erased = openFields(deps, { levels, source, event, input })
    return write(source, contract.encode(event, frameHead(source.registryId)), erased)
  }
}

/** A record of the input stream, decoded. */
export type Source = {
  readonly record: SourceRecord
  readonly schemaId: string
  readonly keyLink: Buffer
  readonly contract: Contract
  readonly registryId: number
  readonly consent: readonly number[]
  readonly timestampMs: number
  /** Returns the decoded event. No other caller uses the same object, so the caller may change it. */
  takeEvent(): Event
}

export function readSource(deps: Pick<DeriveDeps, 'contract'>, record: SourceRecord): Source {
  const schemaId = record.headers['svc-schema-id']?.toString('utf8')
  const keyLink = record.headers['svc-key-link']
  if (schemaId === undefined || keyLink === undefined || record.value === null)
    throw new DeriveError('derive.corrupt', 'the record lacks what every event has')
  const framed = unframe(record.value)
  const known = deps.contract(schemaId)
  if (known === undefined)
    throw new DeriveError(
      'derive.unknown_contract',
      'the record names a contract that does not exist',
    )
  const { contract, registryId } = known
  if (framed.schemaId !== registryId)
    throw new DeriveError(
      'derive.corrupt',
      'the record is framed with the schema of another contract',
    )
  const event = contract.decodePersonal(framed.payload)
  const consent = consentLevelsOf(event)
  // Keys depend on the event's time, and the record's time may be the broker's (`message.timestamp.type`).
  const timestampMs = timestampOf(event) ?? record.timestampMs
  let decoded: Event | undefined = event
  const takeEvent = (): Event => {
    const taken = decoded ?? contract.decodePersonal(framed.payload)
    decoded = undefined
    return taken
  }
  return { record, schemaId, keyLink, contract, registryId, consent, timestampMs, takeEvent }
}

/** Returns the event's consent levels, without levels that the person withdrew after the event (docs/forgetting.md). */
function consentLeft(
  { eraKeys }: Pick<DeriveDeps, 'eraKeys'>,
  { keyLink, timestampMs, consent: sent }: Source,
  input: Input,
): readonly number[] {
  const era = eraAt(timestampMs)
  const keys = eraKeys(era)
  if (keys === undefined) throw notKnownYet(`the keys of stream ${input.streamId}, era ${era},`)
  if (keys === 'never' || keys === 'erased' || !keys.hasWithdrawn) return sent
  if (keys.label === undefined) throw notKnownYet(`the label key of ${input.streamId}, era ${era},`)
  const { epoch } = keyTimeOf(timestampMs, input.rotationHours * hourMs)
  const withdrawn = withdrawnBy(keys, openKeyLink(keys.label, keyLink, epoch))
  return withdrawn.length === 0 ? sent : sent.filter((level) => !withdrawn.includes(level))
}

type ToOpen = {
  readonly levels: Levels
  readonly source: Source
  readonly event: Event
  readonly input: Input
}

/** Decrypts in place the fields that the stream may see. Returns the paths of the fields whose keys are erased. */
function openFields(deps: DeriveDeps, { levels, source, event, input }: ToOpen): string[] {
  const time = keyTimeOf(source.timestampMs, input.rotationHours * hourMs)
  const era = `stream ${input.streamId}, era ${time.era}`
  const keys = deps.eraKeys(time.era)
  if (keys === undefined) throw notKnownYet(`the keys of ${era}`)
  if (keys === 'never')
    throw new DeriveError('derive.no_such_era', `there were never keys of ${era}`)
  const person = keys === 'erased' ? 'erased' : deps.opener.person(keys, source.keyLink, time)
  if (person === 'unknown') throw notKnownYet(`the label key of ${era}`)
  // The levels as sent, because the keys also depend on levels that the person withdrew later.
  const consent = consentOf(source.consent)
  const erased = new Set<string>()
  source.contract.mapPii(event, (text, path, level) => {
    if (!levels.open(level)) return text
    const field: Opened =
      person === 'erased'
        ? { kind: person }
        : deps.opener.open(person, { consent, level, path }, text)
    if (field.kind === 'unknown') throw notKnownYet(`the key of level ${level} of ${era}`)
    if (field.kind === 'opened') return field.value
    erased.add(path)
    return text
  })
  return [...erased]
}

/** Names the fields that stay encrypted because their keys are erased (docs/wire-format.md Kafka). */
const undecryptableHeader = 'svc-undecryptable'

const write = (
  { record, schemaId, keyLink, timestampMs }: Source,
  value: OutRecord['value'],
  erased: readonly string[],
): OutRecord => ({
  key: record.key,
  value,
  headers: {
    'svc-schema-id': schemaId,
    'svc-key-link': keyLink,
    ...(erased.length === 0 ? {} : { [undecryptableHeader]: erased.join(',') }),
    [timeHeader]: writeTime(timestampMs),
  },
  timestampMs,
})

/** Returns the paths in the header `svc-undecryptable`. */
export const undecryptablePathsOf = ({ headers }: OutRecord): readonly string[] =>
  headers?.[undecryptableHeader]?.toString().split(',') ?? []
