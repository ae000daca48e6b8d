// The schema of events as the types of avsc, and the events as plain data: records and maps are objects, a union's value
// does not name its branch, bytes are Buffers, a long is a number. avsc refuses some schemas that Weir accepts, and loses
// some values. So it reads the same octets by a schema with these differences:
//
// - Names of types and symbols begin with T: it takes `constructor` for one that exists already.
// - A map is a record without a name, with the list of its entries: in an object, the key `__proto__` gets lost.
// - A long is a type of its own: avsc's ends at 2^53 - 2.
// - Attributes that change nothing for a reader are left out: it refuses some defaults and aliases.
import avro from 'avsc'
import { isObject, listAt, textAt, tryParseJson, valueAt } from '../json.ts'
import type { JsonObject } from '../json.ts'

const { ArrayType, EnumType, LongType, RecordType, WrappedUnionType } = avro.types

export type EventSchema = {
  readonly root: avro.types.RecordType
  /** Throws for anything that isn't one event of the schema. */
  decode(payload: Buffer): JsonObject
}

/** Undefined if the text is not the schema of a record. */
export function readEventSchema(schemaText: string): EventSchema | undefined {
  const root = typeOf(tryParseJson(schemaText))
  if (!(root instanceof RecordType) || valuesTypeOf(root) !== undefined) return undefined
  return {
    root,
    decode(payload) {
      const event = plain(root, root.fromBuffer(payload))
      if (isObject(event)) return event
      throw new Error('is not an event')
    },
  }
}

function typeOf(schema: unknown): avro.Type | undefined {
  try {
    return avro.Type.forSchema(asSchema(readable(schema)), { wrapUnions: 'always' })
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
      return { type, items: readable(items) }
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

/** A namespace within the name counts more than the attribute. */
function named(schema: JsonObject): object {
  const [name = '', namespace] = [textAt(schema, 'name'), textAt(schema, 'namespace')]
  return { name: renamed(name), ...(name.includes('.') ? {} : { namespace }) }
}

const prefixed = (name: unknown): string => `T${String(name)}`
const renamed = (name: string): string => name.replace(/[^.]*$/, prefixed)

const mapOf = (values: unknown): object => {
  const fields = [
    { name: 'key', type: 'string' },
    { name: 'value', type: values },
  ]
  const entries = { type: 'array', items: { type: 'record', fields } }
  return { type: 'record', fields: [{ name: 'entries', type: entries }] }
}

/** The type of a map's values. Undefined for all other types. */
export function valuesTypeOf(type: avro.Type): avro.Type | undefined {
  if (!(type instanceof RecordType) || type.name !== undefined) return undefined
  const entries = type.field('entries').type
  const entry = entries instanceof ArrayType ? entries.itemsType : undefined
  return entry instanceof RecordType ? entry.field('value').type : undefined
}

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

/** The logical types that have columns of their own. */
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

/** avsc returns instances of classes, and a union's value as an object with the name of its branch. */
function plain(type: avro.Type, value: unknown): unknown {
  if (type instanceof ArrayType)
    return Array.isArray(value) ? value.map((item) => plain(type.itemsType, item)) : value
  if (type instanceof EnumType) return String(value).slice(1)
  if (!isObject(value)) return value
  if (type instanceof WrappedUnionType) {
    const branch = type.types.find(({ branchName = '' }) => Object.hasOwn(value, branchName))
    return branch === undefined ? null : plain(branch, value[branch.branchName ?? ''])
  }
  if (!(type instanceof RecordType)) return value
  const values = valuesTypeOf(type)
  if (values !== undefined) {
    const entries = listAt(value, 'entries').map((entry) => [
      textAt(entry, 'key'),
      plain(values, valueAt(entry, 'value')),
    ])
    return Object.fromEntries(entries)
  }
  const fields = type.fields.map(({ name, type: inner }) => [name, plain(inner, value[name])])
  return Object.fromEntries(fields)
}
