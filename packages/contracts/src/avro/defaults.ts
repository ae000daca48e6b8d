// Compiles the default of a record's field into the value that an event gets if the producer omits the field. In a
// default, the value of a union is a plain value of the union's first branch. The size of defaults is bounded, because
// one omitted field could otherwise add a value of any size.
import { scalarReader } from './scalars.ts'
import { depthMax, describeType, nullableOf } from './types.ts'
import type { AvroType, RecordField, UnionType } from './types.ts'
import { emptyMap, isFields } from './values.ts'
import type { Fields } from './values.ts'

/** The maximum number of values in one default. Records, lists and maps count, and so do the values in them. */
const defaultValuesMax = 1_000

class BadDefault extends Error {}

/** Returns the size of a field's default, or a clause that says what is wrong with the default. */
export function checkDefault(
  field: RecordField,
): { readonly problem: string } | { readonly size: number } {
  try {
    return { size: compileDefault(field)?.size ?? 0 }
  } catch (error) {
    if (error instanceof BadDefault) return { problem: error.message }
    throw error
  }
}

/**
 * `make` returns a new value each time, because events are changed in place. `size` estimates the octets of the value:
 * a fixed number for each value in it, plus the length of its text.
 */
export type Default = { readonly make: () => unknown; readonly size: number }

const valueOctets = 10

export function compileDefault(field: RecordField): Default | undefined {
  if (field.default === undefined) return undefined
  const { json } = field.default
  const counter = { values: 0, textOctets: 0 }
  const value = build(field.type, json, counter, 0)
  const isShareable = typeof value !== 'object' || value === null
  const make = isShareable
    ? () => value
    : () => build(field.type, json, { values: 0, textOctets: 0 }, 0)
  return { make, size: valueOctets * counter.values + counter.textOctets }
}

type Counter = { values: number; textOctets: number }

function build(type: AvroType, json: unknown, counter: Counter, depth: number): unknown {
  if (type.kind !== 'union') counter.values += 1
  if (depth > depthMax) throw new BadDefault(`is nested deeper than ${depthMax}`)
  if (counter.values > defaultValuesMax) {
    throw new BadDefault(`contains more than ${defaultValuesMax} values`)
  }
  switch (type.kind) {
    case 'union':
      return buildFirstBranch(type, json, counter, depth)
    case 'record':
      return buildRecord(type.fields, json, counter, depth + 1)
    case 'array':
      if (!Array.isArray(json)) throw new BadDefault(`is not ${describeType(type)}`)
      return json.map((item) => build(type.items, item, counter, depth + 1))
    case 'map': {
      const map = emptyMap()
      for (const [key, value] of membersOf(json)) {
        if (!key.isWellFormed()) throw new BadDefault('has a key that is not well-formed Unicode')
        map[key] = build(type.values, value, counter, depth + 1)
      }
      return map
    }
    default: {
      const value = scalarReader(type)?.(json)
      if (value === undefined) throw new BadDefault(`is not ${describeType(type)}`)
      if (typeof json === 'string') counter.textOctets += json.length
      return value
    }
  }
}

function buildFirstBranch(
  type: UnionType,
  json: unknown,
  counter: Counter,
  depth: number,
): unknown {
  const [first] = type.branches
  if (!first) throw new BadDefault('belongs to an empty union')
  const value = build(first, json, counter, depth)
  return nullableOf(type) ? value : { branch: 0, value }
}

function buildRecord(
  fields: readonly RecordField[],
  json: unknown,
  counter: Counter,
  depth: number,
): Fields {
  const members = new Map(membersOf(json))
  const record: Fields = {}
  for (const { name, type, default: own } of fields) {
    const given = members.get(name)
    if (given === undefined && own === undefined) throw new BadDefault(`lacks the field ${name}`)
    record[name] = build(type, given === undefined ? own?.json : given, counter, depth)
    members.delete(name)
  }
  if (members.size > 0) throw new BadDefault('has a field that its record lacks')
  return record
}

function membersOf(json: unknown): readonly [string, unknown][] {
  if (!isFields(json)) throw new BadDefault('is not an object')
  return Object.entries(json)
}
