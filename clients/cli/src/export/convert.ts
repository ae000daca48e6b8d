// Converts an event, as its schema's reader returns it, into the values of its columns. A `long` is a bigint, a map is
// a list of entries, and values without a type of their own are plain JSON. Compiled once per schema. Pure.
import { isBranch, isFields, plainOf } from '@weir/contracts'
import type { AvroType, RecordType } from '@weir/contracts'
import type { RecordShape, Shape } from './shape.ts'

/** A record's values by name. */
export type ConvertFields = { readonly [name: string]: unknown }
export type Convert = (value: unknown) => unknown

export function convertEvents(
  root: RecordType,
  shape: RecordShape,
): (event: ConvertFields) => ConvertFields {
  return convertRecord(root, shape)
}

function convertTo(type: AvroType, shape: Shape): Convert {
  if (type.kind === 'union') return convertUnion(type.branches, shape)
  if (shape.kind === 'json') return plainOf(type)
  if (shape.kind === 'record') return type.kind === 'record' ? convertRecord(type, shape) : toNull
  if (shape.kind === 'list')
    return type.kind === 'array' ? convertList(type.items, shape.items.shape) : toNull
  if (shape.kind === 'map')
    return type.kind === 'map' ? convertMap(type.values, shape.values.shape) : toNull
  if (type.kind === 'null') return toNull
  return bigKinds.has(shape.kind) ? toBig : same
}

const bigKinds: ReadonlySet<string> = new Set([
  'long',
  'time-micros',
  'timestamp-millis',
  'timestamp-micros',
  'local-timestamp-millis',
  'local-timestamp-micros',
])

const toNull: Convert = () => null
const same: Convert = (value) => value
const toBig: Convert = (value) => (typeof value === 'number' ? BigInt(value) : null)

/** A value names its branch, except in a union of one type and null. */
function convertUnion(branches: readonly AvroType[], shape: Shape): Convert {
  const converts = branches.map((branch) => convertTo(branch, shape))
  const only = converts[branches.findIndex(({ kind }) => kind !== 'null')] ?? toNull
  return (value) => {
    if (value === null) return null
    if (branches.length <= 2 && branches.some(({ kind }) => kind === 'null')) return only(value)
    return isBranch(value) ? converts[value.branch]?.(value.value) : only(value)
  }
}

function convertRecord(type: RecordType, shape: RecordShape): (value: unknown) => ConvertFields {
  const types = new Map(type.fields.map((field) => [field.name, field.type]))
  const columns = shape.fields.map((field) => {
    const from = types.get(field.name)
    return { name: field.name, convert: from === undefined ? toNull : convertTo(from, field.shape) }
  })
  return (value) => {
    const from = isFields(value) ? value : {}
    return Object.fromEntries(columns.map(({ name, convert }) => [name, convert(from[name])]))
  }
}

function convertList(items: AvroType, shape: Shape): Convert {
  const convert = convertTo(items, shape)
  return (value) => (Array.isArray(value) ? value.map((item) => convert(item)) : [])
}

function convertMap(values: AvroType, shape: Shape): Convert {
  const convert = convertTo(values, shape)
  return (value) =>
    Object.entries(isFields(value) ? value : {}).map(([key, item]) => ({
      key,
      value: convert(item),
    }))
}
