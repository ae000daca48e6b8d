// An Avro schema with every name resolved. All readers and writers compile this form. A recursive schema is a cycle
// here, so code that walks types must remember the records it has seen, or bound the depth.

export type PrimitiveKind =
  | 'null'
  | 'boolean'
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'bytes'
  | 'string'

export type RecordField = {
  readonly name: string
  readonly type: AvroType
  /** The default as in the schema. It is in an object, because null is a valid default. */
  readonly default: { readonly json: unknown } | undefined
  /** Set if JSON may omit the field, which is then null until its value is set. */
  readonly mayBeMissing?: true
}

export type RecordType = {
  readonly kind: 'record'
  readonly name: string
  readonly fields: RecordField[]
}

export type UnionType = { readonly kind: 'union'; readonly branches: readonly AvroType[] }

export type EnumType = {
  readonly kind: 'enum'
  readonly name: string
  readonly symbols: readonly string[]
}

/**
 * Readers and writers ignore `logical`: an int with `logicalType` date is an int. Only error sentences and warnings use
 * it.
 */
export type AvroType =
  | { readonly kind: PrimitiveKind; readonly logical?: string }
  | { readonly kind: 'fixed'; readonly name: string; readonly size: number }
  | EnumType
  | { readonly kind: 'array'; readonly items: AvroType }
  | { readonly kind: 'map'; readonly values: AvroType }
  | UnionType
  | RecordType

/** The maximum nesting of records, lists and maps, in schemas and in events. */
export const depthMax = 64

/** Returns the name of a union's branch in Avro JSON: the full name of a named type, or the kind of any other type. */
export const branchName = (type: AvroType): string => ('name' in type ? type.name : type.kind)

/** Returns the other branch of a union of null and one type; undefined for any other type. */
export function nullableOf(type: AvroType): AvroType | undefined {
  if (type.kind !== 'union' || type.branches.length !== 2) return undefined
  const [first, second] = type.branches
  if (first?.kind === 'null') return second
  return second?.kind === 'null' ? first : undefined
}

/** Describes a type for error sentences: «is not …». */
export function describeType(type: AvroType): string {
  if (type.kind === 'union')
    return `one of ${namesTold(type.branches.map((branch) => branchName(branch) + unitOf(branch)))}`
  if (type.kind === 'enum') return `one of ${namesTold(type.symbols)}`
  return descriptions[type.kind] + unitOf(type)
}

/** Returns an enum's symbols, or a hint about the unit: producers often send 2026-01-31 instead of a number. */
const unitOf = (type: AvroType): string => {
  if (type.kind === 'enum') return ` (${namesTold(type.symbols)})`
  return 'logical' in type ? (units[`${type.kind} ${type.logical}`] ?? '') : ''
}

const units: Readonly<Record<string, string>> = {
  'int date': ' (date: days since 1970-01-01)',
  'int time-millis': ' (time-millis: milliseconds since midnight)',
  'long time-micros': ' (time-micros: microseconds since midnight)',
  'long timestamp-millis': ' (timestamp-millis: milliseconds since 1970-01-01 in UTC)',
  'long timestamp-micros': ' (timestamp-micros: microseconds since 1970-01-01 in UTC)',
  'long local-timestamp-millis': ' (local-timestamp-millis: milliseconds since 1970-01-01)',
  'long local-timestamp-micros': ' (local-timestamp-micros: microseconds since 1970-01-01)',
  'bytes decimal': ' (decimal: the unscaled number, big-endian)',
}

/** Lists names for an error sentence. Shortens a long list, because each event that doesn't fit gets this sentence. */
export const namesTold = (names: readonly string[]): string =>
  names.length <= namesToldMax
    ? names.join(', ')
    : `${names.slice(0, namesToldMax).join(', ')} and ${names.length - namesToldMax} more`
const namesToldMax = 10

const descriptions: Readonly<Record<Exclude<AvroType['kind'], 'union' | 'enum'>, string>> = {
  null: 'null',
  boolean: 'a boolean',
  int: 'an int',
  long: 'a long within ±(2^53 - 1)',
  float: 'a float',
  double: 'a double',
  bytes: 'bytes, one character of U+0000 to U+00FF each',
  string: 'a string of well-formed Unicode',
  fixed: 'bytes of the fixed size, one character of U+0000 to U+00FF each',
  array: 'a list',
  map: 'an object',
  record: 'an object',
}
