// Decodes events with avsc into plain data: records and maps are objects, a union's value does not name its branch,
// bytes are Buffers, a long is a number. avsc refuses some schemas that Weir accepts, and loses some values. So avsc
// gets another schema for the same bytes, with these differences:
//
// - Names of types and symbols begin with T, because for avsc a name such as `constructor` exists already.
// - A map is a record without a name, with the list of its entries, because in an object the key `__proto__` gets lost.
// - The items of a list end with a field of zero bytes, which throws beyond the event's end. Otherwise avsc would read
//   as many items as the list claims to have, and a damaged event could fill the memory.
// - A long is a type of this file, because avsc's own long ends at 2^53 - 2.
// - Attributes that change nothing for a reader are left out, because avsc refuses some defaults and aliases.
import avro from 'avsc'
import { isObject, listAt, textAt, valueAt } from '../json.ts'
import type { JsonObject } from '../json.ts'

const { ArrayType, EnumType, LogicalType, LongType, RecordType, WrappedUnionType } = avro.types

export type EventSchema = {
  readonly root: avro.types.RecordType
  /** Throws if the bytes are not exactly one event of the schema. */
  decode(payload: Buffer): JsonObject
}

/** Returns undefined if the text is not the schema of a record. */
export function readEventSchema(schemaText: string): EventSchema | undefined {
  const root = typeOf(schemaText)
  if (!(root instanceof RecordType) || root.name === undefined) return undefined
  return { root, decode: (payload) => plainRecord(root, root.fromBuffer(payload)) }
}

function typeOf(schemaText: string): avro.Type | undefined {
  try {
    const schema = readable(JSON.parse(schemaText))
    return avro.Type.forSchema(asSchema(schema), { wrapUnions: 'always' })
  } catch {
    return undefined
  }
}

/** avsc checks the schema itself. */
const asSchema = (schema: unknown): avro.Schema => schema as avro.Schema

// --- the schema that avsc reads ---

function readable(schema: unknown): unknown {
  if (typeof schema === 'string') return primitives.get(schema) ?? renamed(schema)
  if (Array.isArray(schema)) return schema.map(readable)
  if (!isObject(schema)) return undefined
  const { type, size, items, values } = schema
  switch (type) {
    case 'record':
    case 'error':
      return { ...named(schema), type: 'record', fields: listAt(schema, 'fields').map(fieldOf) }
    case 'enum':
      return { ...named(schema), type, symbols: listAt(schema, 'symbols').map(prefixed) }
    case 'fixed':
      return { ...named(schema), type, size }
    case 'array':
      return listOf({ name: 'value', type: readable(items) })
    case 'map':
      return mapOf(readable(values))
    default:
      return (
        logicalTypes.get(`${textAt(schema, 'type')} ${textAt(schema, 'logicalType')}`) ??
        readable(type)
      )
  }
}

const fieldOf = (field: unknown): object => ({
  name: textAt(field, 'name'),
  type: readable(valueAt(field, 'type')),
})

/** A namespace within the name overrides the attribute `namespace`. */
function named(schema: JsonObject): object {
  const [name = '', namespace] = [textAt(schema, 'name'), textAt(schema, 'namespace')]
  return { name: renamed(name), ...(name.includes('.') ? {} : { namespace }) }
}

const prefixed = (name: unknown): string => `T${String(name)}`
const renamed = (name: string): string => name.replace(/[^.]*$/, prefixed)

class Within extends LogicalType {
  protected override _fromValue(octets: unknown): null {
    if (octets === undefined) throw new Error('ends too early')
    return null
  }
}
const within = new Within({ type: 'fixed', name: 'Within', size: 0 }, {})

const listOf = (...fields: readonly object[]): object => ({
  type: 'array',
  items: { type: 'record', fields: [...fields, { name: 'within', type: within }] },
})

const mapOf = (values: unknown): object => {
  const entries = listOf({ name: 'key', type: 'string' }, { name: 'value', type: values })
  return { type: 'record', fields: [{ name: 'entries', type: entries }] }
}

/** Returns undefined if the type is not a list. */
export const itemsTypeOf = (type: avro.Type): avro.Type | undefined =>
  type instanceof ArrayType && type.itemsType instanceof RecordType
    ? type.itemsType.field('value').type
    : undefined

/** Returns undefined if the type is not a map. */
export const valuesTypeOf = (type: avro.Type): avro.Type | undefined =>
  type instanceof RecordType && type.name === undefined
    ? itemsTypeOf(type.field('entries').type)
    : undefined

// --- primitive and logical types ---

const onlyRead = (): never => {
  throw new Error('events are only read')
}

const longType = (): avro.Type =>
  LongType.__with({
    fromBuffer(octets: Buffer) {
      const value = Number(octets.readBigInt64LE())
      if (Number.isSafeInteger(value)) return value
      throw new Error('is not a long within ±(2^53 - 1)')
    },
    toBuffer: onlyRead,
    fromJSON: onlyRead,
    toJSON: onlyRead,
    isValid: onlyRead,
    compare: onlyRead,
  })
const intType = (): avro.Type => avro.Type.forSchema('int')

const primitives: ReadonlyMap<string, avro.Type> = new Map([
  ...['null', 'boolean', 'int', 'float', 'double', 'bytes', 'string'].map(
    (name) => [name, avro.Type.forSchema(name)] as const,
  ),
  ['long', longType()],
])

const intKinds = ['date', 'time-millis'] as const
const longKinds = [
  'time-micros',
  'timestamp-millis',
  'timestamp-micros',
  'local-timestamp-millis',
  'local-timestamp-micros',
] as const

/** The logical types that have their own column types. */
export type LogicalKind = (typeof intKinds)[number] | (typeof longKinds)[number]

const logicalKinds = new Map<avro.Type, LogicalKind>([
  ...intKinds.map((kind) => [intType(), kind] as const),
  ...longKinds.map((kind) => [longType(), kind] as const),
])
const logicalTypes: ReadonlyMap<string, avro.Type> = new Map(
  [...logicalKinds].map(([type, kind]) => [`${type.branchName} ${kind}`, type]),
)

export const logicalKindOf = (type: avro.Type): LogicalKind | undefined => logicalKinds.get(type)

// --- values ---

/** Converts avsc's value to plain data. In avsc, a union's value is an object that names its branch. */
function plain(type: avro.Type, value: unknown): unknown {
  const items = itemsTypeOf(type)
  if (items !== undefined)
    return Array.isArray(value) ? value.map((item) => plain(items, valueAt(item, 'value'))) : []
  if (type instanceof EnumType) return String(value).slice(1)
  if (type instanceof RecordType) {
    const values = valuesTypeOf(type)
    return values === undefined ? plainRecord(type, value) : plainMap(values, value)
  }
  if (!(type instanceof WrappedUnionType) || value === null) return value
  const branch = type.types.find(({ branchName = '' }) => valueAt(value, branchName) !== undefined)
  return branch === undefined ? null : plain(branch, valueAt(value, branch.branchName ?? ''))
}

const plainMap = (values: avro.Type, value: unknown): JsonObject =>
  Object.fromEntries(
    listAt(value, 'entries').map((entry) => [
      textAt(entry, 'key'),
      plain(values, valueAt(entry, 'value')),
    ]),
  )

const plainRecord = ({ fields }: avro.types.RecordType, value: unknown): JsonObject =>
  Object.fromEntries(fields.map(({ name, type }) => [name, plain(type, valueAt(value, name))]))
