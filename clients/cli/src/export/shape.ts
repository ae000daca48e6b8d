// Merges the Avro schemas of all events of an export into one shape: its columns. A field that some schemas lack is
// nullable. Independent of the file format. Pure.
import avro from 'avsc'
import { failure } from '../errors.ts'
import { itemsTypeOf, logicalKindOf, valuesTypeOf } from './avro.ts'
import type { LogicalKind } from './avro.ts'

type RecordType = avro.types.RecordType
const { LongType, RecordType, WrappedUnionType } = avro.types

export type Scalar =
  | 'boolean'
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'string'
  | 'bytes'
  | LogicalKind
  /** For types without a column type, such as a union of a text and a number. */
  | 'json'
  /** Only Avro's null. */
  | 'nothing'

export type Shape =
  | { readonly kind: Scalar }
  | { readonly kind: 'list'; readonly items: ColumnSlot }
  | { readonly kind: 'map'; readonly values: ColumnSlot }
  | RecordShape

export type RecordShape = { readonly kind: 'record'; readonly fields: readonly ColumnField[] }
export type ColumnField = ColumnSlot & { readonly name: string }
export type ColumnSlot = { readonly shape: Shape; readonly isNullable: boolean }

const leavesMax = 5_000
const json: Shape = { kind: 'json' }

export function shapeOf(root: RecordType): RecordShape {
  const shape = recordShape(root, { path: [], around: [], leaves: { count: 0 } })
  if (shape.kind === 'record') return shape
  throw failure('the schema of an event has no fields')
}

/** Returns one shape for the events of both shapes. @throws CliError naming a field that can't be both */
export function mergeShapes(one: RecordShape, other: RecordShape): RecordShape {
  return mergeRecords(one, other, [])
}

type Place = {
  readonly path: readonly string[]
  /** The records that contain this place. */
  readonly around: readonly RecordType[]
  readonly leaves: { count: number }
}

function slotOf(type: avro.Type, place: Place): ColumnSlot {
  if (!(type instanceof WrappedUnionType))
    return { shape: shapeAt(type, place), isNullable: isNull(type) }
  const { types } = type
  const [only, other] = types.filter((branch) => !isNull(branch))
  if (types.length === 2 && only !== undefined && other === undefined)
    return { shape: shapeAt(only, place), isNullable: true }
  const slots = types.map((branch) => slotOf(branch, place))
  const isNullable = slots.some((slot) => slot.isNullable)
  return { shape: branchesShape(slots.map(({ shape }) => shape)), isNullable }
}

const isNull = ({ typeName }: avro.Type): boolean => typeName === 'null'

/** Returns the shape for a union's branches: the wider type for numbers, JSON for other different types. */
function branchesShape(shapes: readonly Shape[]): Shape {
  return shapes
    .filter(({ kind }) => kind !== 'nothing')
    .reduce(
      (one, other) => mergeScalars(one, other) ?? json,
      shapes.find(({ kind }) => kind !== 'nothing') ?? json,
    )
}

function shapeAt(type: avro.Type, place: Place): Shape {
  const values = valuesTypeOf(type)
  if (values !== undefined) return { kind: 'map', values: slotOf(values, place) }
  if (type instanceof RecordType) return recordShape(type, place)
  const items = itemsTypeOf(type)
  if (items !== undefined) return { kind: 'list', items: slotOf(items, place) }
  if (type instanceof LongType && isTimestamp(place))
    return leaf({ kind: 'timestamp-millis' }, place)
  return leaf({ kind: logicalKindOf(type) ?? scalars[type.typeName] ?? 'json' }, place)
}

const scalars: Readonly<Record<string, Scalar>> = {
  null: 'nothing',
  boolean: 'boolean',
  int: 'int',
  'abstract:long': 'long',
  float: 'float',
  double: 'double',
  string: 'string',
  enum: 'string',
  bytes: 'bytes',
  fixed: 'bytes',
}

/** The envelope's timestamp is a time by definition, whatever its type in the schema (docs/wire-format.md). */
const isTimestamp = ({ path }: Place): boolean => path.join('.') === 'svcMeta.timestamp'

function recordShape(type: RecordType, place: Place): Shape {
  // A recursive record, or one without fields.
  if (place.around.includes(type) || type.fields.length === 0) return leaf(json, place)
  const around = [...place.around, type]
  const fields = type.fields.map(({ name, type: fieldType }) => {
    const slot = slotOf(fieldType, { ...place, around, path: [...place.path, name] })
    return { name, ...slot }
  })
  return { kind: 'record', fields }
}

function leaf(shape: Shape, { leaves }: Place): Shape {
  leaves.count += 1
  if (leaves.count <= leavesMax) return shape
  throw failure(`the events have more than ${leavesMax} columns`, '`-o jsonl` accepts any event.')
}

function mergeSlots(one: ColumnSlot, other: ColumnSlot, path: readonly string[]): ColumnSlot {
  return {
    shape: mergeAt(one.shape, other.shape, path),
    isNullable: one.isNullable || other.isNullable,
  }
}

function mergeAt(one: Shape, other: Shape, path: readonly string[]): Shape {
  if (one.kind === 'record' && other.kind === 'record') return mergeRecords(one, other, path)
  if (one.kind === 'list' && other.kind === 'list')
    return { kind: 'list', items: mergeSlots(one.items, other.items, path) }
  if (one.kind === 'map' && other.kind === 'map')
    return { kind: 'map', values: mergeSlots(one.values, other.values, path) }
  const merged = mergeScalars(one, other)
  if (merged !== undefined) return merged
  throw failure(
    `the field ${path.join('.')} is of the type ${one.kind} in some events and ${other.kind} in others`,
    'Export one contract at a time with `--schema ID`, or all contracts with `-o jsonl`.',
  )
}

function mergeRecords(one: RecordShape, other: RecordShape, path: readonly string[]): RecordShape {
  const others = new Map(other.fields.map((field) => [field.name, field]))
  const known = new Set(one.fields.map(({ name }) => name))
  const fields = one.fields.map((field) => {
    const { name } = field
    return {
      name,
      ...mergeSlots(field, others.get(name) ?? { ...field, isNullable: true }, [...path, name]),
    }
  })
  const added = other.fields.filter(({ name }) => !known.has(name))
  return {
    kind: 'record',
    fields: [...fields, ...added.map((field) => ({ ...field, isNullable: true }))],
  }
}

const widths = ['int', 'long', 'float', 'double'] as const

/** Returns undefined if no type can represent both. */
function mergeScalars(one: Shape, other: Shape): Shape | undefined {
  if (one.kind === 'nothing') return other
  if (other.kind === 'nothing') return one
  if (one.kind === other.kind) return isScalar(one) ? one : undefined
  const [a, b] = [widthOf(one), widthOf(other)]
  if (a < 0 || b < 0) return undefined
  // A float can't represent every int or long. A double represents all longs that ingest accepts.
  return Math.max(a, b) <= 1 ? { kind: 'long' } : { kind: 'double' }
}

const isScalar = ({ kind }: Shape): boolean => !['list', 'map', 'record'].includes(kind)
const widthOf = ({ kind }: Shape): number => widths.findIndex((width) => width === kind)
