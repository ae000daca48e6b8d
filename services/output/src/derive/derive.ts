// What a derived stream holds (spec Events 4 and 5): of an input stream's records those whose consent
// includes the derived stream's levels, with the fields opened that it may see. Pure but for the keys
// it is given; whatever isn't known for certain is not opened, and not passed.
import type { Contract, Event } from '@weir/contracts'
import type { EraKeys, Opened, Opener } from '@weir/fieldcrypt'
import { timeOf } from '@weir/fieldcrypt'
import { frame, unframe } from '@weir/schema-registry'
import type { OutRecord, SourceRecord } from '@weir/kafka'
import { AppError } from '@weir/kit'
import type { DerivedStream, InputStream } from '@weir/control-state'
import type { KnownContract } from './known-contracts.ts'
import { levelsOf } from './levels.ts'
import type { Levels } from './levels.ts'

export type DeriveDeps = {
  opener: Pick<Opener, 'person' | 'open'>
  contract: (id: string) => KnownContract | undefined
  eraKeys: (era: number) => KnownEra
}

/**
 * The keys of an era of the input stream. `erased`: gone for good; `never`: no event can have been sealed in
 * it; undefined: not at hand, which is never taken for either.
 */
export type KnownEra = EraKeys | 'erased' | 'never' | undefined

/** Undefined when the record's consent doesn't reach the stream. */
export type Derive = (record: SourceRecord) => OutRecord | undefined

const hourMs = 3_600_000

/**
 * What it makes throws AppError `not_known_yet` when a key is missing: wait and try again; `unknown_contract`
 * or `no_such_era` when that can't change any more once control state is followed past the record; `corrupt`,
 * `not_framed` or `undecodable` for a record that no ingest wrote.
 */
export function createDerive(
  deps: DeriveDeps,
  stream: Pick<DerivedStream, 'consentLevels' | 'consentLevelType'>,
  input: Pick<InputStream, 'streamId' | 'rotationHours'>,
): Derive {
  const levels = levelsOf(stream)

  return (record) => {
    const { schemaId, keyLink, framed } = partsOf(record)
    const known = deps.contract(schemaId)
    if (known === undefined)
      throw new AppError('unknown_contract', 'the record names a contract that there is not')
    const { contract, registryId } = known
    if (framed.schemaId !== registryId)
      throw new AppError('corrupt', 'the record is framed with the schema of another contract')
    const event = contract.decode(framed.payload)
    if (!levels.pass(contract.consentLevelsOf(event))) return undefined
    // The record's own time is the broker's where `message.timestamp.type` says so; keys go by the event's.
    const timestampMs = contract.timestampOf(event) ?? record.timestampMs
    const mayOpen = contract.levels.some(levels.open)
    const erased = mayOpen
      ? openFields(deps, { levels, contract, event, keyLink, timestampMs, input })
      : []
    return {
      key: record.key,
      value: mayOpen ? frame(registryId, contract.encode(event)) : record.value,
      headers: {
        'svc-schema-id': schemaId,
        'svc-key-link': keyLink,
        ...(erased.length === 0 ? {} : { [undecryptableHeader]: erased.join(',') }),
      },
      timestampMs,
    }
  }
}

type ToOpen = {
  levels: Levels
  contract: Contract
  event: Event
  keyLink: Buffer
  timestampMs: number
  input: Pick<InputStream, 'streamId' | 'rotationHours'>
}

/** Opens what the stream may see, in place; gives the paths of the fields whose keys are erased. */
function openFields(deps: DeriveDeps, to: ToOpen): string[] {
  const time = timeOf(to.timestampMs, to.input.rotationHours * hourMs)
  const era = `stream ${to.input.streamId}, era ${time.era}`
  const keys = deps.eraKeys(time.era)
  if (keys === undefined) throw notKnownYet(`the keys of ${era}`)
  if (keys === 'never') throw new AppError('no_such_era', `there were never keys of ${era}`)
  const person = keys === 'erased' ? 'erased' : deps.opener.person(keys, to.keyLink, time)
  if (person === 'unknown') throw notKnownYet(`the label key of ${era}`)
  const erased = new Set<string>()
  to.contract.mapPii(to.event, (text, path, level) => {
    if (!to.levels.open(level)) return text
    const field: Opened =
      person === 'erased' ? { kind: person } : deps.opener.open(person, level, path, text)
    if (field.kind === 'unknown') throw notKnownYet(`the key of level ${level} of ${era}`)
    if (field.kind === 'opened') return field.value
    erased.add(path)
    return text
  })
  return [...erased]
}

/** Names the fields that stay sealed because their keys are erased (docs/wire-format.md Kafka). */
const undecryptableHeader = 'svc-undecryptable'

/** The fields of a derived record that stay sealed because their keys are erased. */
export const undecryptablePathsOf = ({ headers }: OutRecord): readonly string[] =>
  headers?.[undecryptableHeader]?.toString().split(',') ?? []

function partsOf(record: SourceRecord) {
  const schemaId = record.headers['svc-schema-id']?.toString('utf8')
  const keyLink = record.headers['svc-key-link']
  if (schemaId === undefined || keyLink === undefined || record.value === null)
    throw new AppError('corrupt', 'the record lacks what every event has')
  return { schemaId, keyLink, framed: unframe(record.value) }
}

const notKnownYet = (what: string): AppError<'not_known_yet'> =>
  new AppError('not_known_yet', `${what} is not known yet`)
