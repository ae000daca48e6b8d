// The envelope svcMeta, the first field of every event (spec Event envelope): checks its schema, and fills in its
// members. It has schemaId or eventContractRef, or both. keyLink is an int or a string. All members except
// consentLevels, and the envelope itself, may be nullable. Only the producer adds consent levels.
import { compileDefault } from './avro/defaults.ts'
import { nullableOf } from './avro/types.ts'
import type { AvroType, RecordType } from './avro/types.ts'
import { isFields } from './avro/values.ts'
import type { Fields } from './avro/values.ts'

export const envelopeName = 'svcMeta'
export const levelMax = 255
/** The paths that `consentLevelsOf` and `timestampOf` read. */
export const stampedPaths: readonly string[] = [
  `${envelopeName}/consentLevels`,
  `${envelopeName}/timestamp`,
]

export type Stamp = {
  readonly schemaId: string
  /** A random int32. */
  readonly nonce: number
  readonly timestampMs: number
  readonly keyLinkUuid: string
  readonly keyLinkInt: number
  readonly billingId: string
}

type Kind = AvroType['kind']

/** The members that the service fills in, with their permitted types. */
const slots: Readonly<Record<string, readonly Kind[]>> = {
  schemaId: ['string'],
  eventContractRef: ['string'],
  nonce: ['int', 'long'],
  timestamp: ['long'],
  keyLink: ['int', 'string'],
  billingId: ['string'],
}

const values: Readonly<Record<string, (stamp: Stamp, kind: Kind) => unknown>> = {
  schemaId: (stamp) => stamp.schemaId,
  eventContractRef: (stamp) => stamp.schemaId,
  nonce: (stamp) => stamp.nonce,
  timestamp: (stamp) => stamp.timestampMs,
  keyLink: (stamp, kind) => (kind === 'int' ? stamp.keyLinkInt : stamp.keyLinkUuid),
  billingId: (stamp) => stamp.billingId,
}

function envelopeOf(root: RecordType): RecordType | undefined {
  const [first] = root.fields
  if (!first || first.name !== envelopeName) return undefined
  const type = nullableOf(first.type) ?? first.type
  return type.kind === 'record' ? type : undefined
}

/**
 * Returns the schema for JSON from producers. In the envelope, but in no other record, the members that the service
 * fills in may be missing.
 */
export function unstamped(root: RecordType): RecordType {
  const [first] = root.fields
  const envelope = envelopeOf(root)
  if (!first || !envelope) return root
  const fields = envelope.fields.map((field) =>
    Object.hasOwn(slots, field.name) ? { ...field, mayBeMissing: true as const } : field,
  )
  const open = { ...envelope, fields }
  const type =
    first.type.kind === 'union'
      ? { ...first.type, branches: first.type.branches.map((to) => (to === envelope ? open : to)) }
      : open
  return { ...root, fields: root.fields.with(0, { ...first, type }) }
}

export function envelopeProblems(root: RecordType): string[] {
  const envelope = envelopeOf(root)
  if (!envelope) return [`must begin with the field ${envelopeName}, a record`]
  const problems: string[] = []
  const names = envelope.fields.map((field) => field.name)
  if (!names.includes('schemaId') && !names.includes('eventContractRef')) {
    problems.push(`${envelopeName} must have the member schemaId or eventContractRef`)
  }
  if (!names.includes('consentLevels')) {
    problems.push(`${envelopeName} must have the member consentLevels`)
  }
  for (const { name, type, default: own } of envelope.fields) {
    const kinds = Object.hasOwn(slots, name) ? slots[name] : undefined
    if (kinds && !kinds.includes((nullableOf(type) ?? type).kind)) {
      problems.push(`${envelopeName}/${name} must be ${kinds.join(' or ')}, nullable or not`)
    } else if (name === 'consentLevels' && !(type.kind === 'array' && type.items.kind === 'int')) {
      problems.push(`${envelopeName}/consentLevels must be a list of int`)
    } else if (!kinds && name !== 'consentLevels' && own === undefined && isNullable(root)) {
      problems.push(`${envelopeName}/${name} needs a default, since ${envelopeName} may be null`)
    }
  }
  return problems
}

const isNullable = (root: RecordType): boolean => root.fields[0]?.type.kind === 'union'

/**
 * Returns a function that sets the service's members of the envelope, and replaces any values of the producer. If the
 * envelope is null, the function creates one.
 */
export function compileStamp(root: RecordType): (event: Fields, stamp: Stamp) => void {
  const envelope = envelopeOf(root)
  if (!envelope) throw new Error('a contract without an envelope was prepared')
  const filled = envelope.fields.flatMap(({ name, type }) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value ? [{ name, value, kind: (nullableOf(type) ?? type).kind }] : []
  })
  return (event, stamp) => {
    const given = event[envelopeName]
    const meta = isFields(given) ? given : emptyEnvelope(envelope)
    for (const { name, value, kind } of filled) meta[name] = value(stamp, kind)
    event[envelopeName] = meta
  }
}

function emptyEnvelope(envelope: RecordType): Fields {
  const meta: Fields = {}
  for (const field of envelope.fields) {
    meta[field.name] = field.name === 'consentLevels' ? [] : compileDefault(field)?.make()
  }
  return meta
}

/**
 * Returns an empty list if the envelope is null. An event with a null envelope is stored, but no derived stream gets
 * it.
 */
export function consentLevelsOf(event: Fields): number[] {
  const meta = event[envelopeName]
  const levels = isFields(meta) ? meta['consentLevels'] : []
  return Array.isArray(levels) ? levels.filter((level) => typeof level === 'number') : []
}

/** Returns when ingest received the event, in ms since 1970; undefined if the envelope has no `timestamp`. */
export function timestampOf(event: Fields): number | undefined {
  const meta = event[envelopeName]
  const time: unknown = isFields(meta) ? meta['timestamp'] : undefined
  return typeof time === 'number' ? time : undefined
}

/** Returns the first level that is not between 0 and 255, if any. */
export function invalidConsentLevel(event: Fields): number | undefined {
  const meta = event[envelopeName]
  const levels: unknown = isFields(meta) ? meta['consentLevels'] : undefined
  if (!Array.isArray(levels)) return undefined
  for (const level of levels)
    if (typeof level === 'number' && (level < 0 || level > levelMax)) return level
  return undefined
}
