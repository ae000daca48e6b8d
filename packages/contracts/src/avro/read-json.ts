// Compiles an Avro type into a function that reads events in Avro's JSON encoding (spec Events, envelope rule 3). The
// function reads strictly first. Only if that fails, it reads leniently: omitted fields get their defaults, and a union
// accepts a plain value that fits exactly one branch. So a strictly valid body has only its strict meaning. Both
// readings refuse unknown fields.
import { atStep, Unreadable } from '../unreadable.ts'
import { compileDefault } from './defaults.ts'
import type { Default } from './defaults.ts'
import { deeper, notStrict, refuseJson } from './json-reading.ts'
import type { ReadJson, JsonReading } from './json-reading.ts'
import { readUnion } from './json-union.ts'
import { scalarReader } from './scalars.ts'
import type { ScalarReader } from './scalars.ts'
import { describeType } from './types.ts'
import type { AvroType, RecordField, RecordType } from './types.ts'
import { emptyMap, isFields } from './values.ts'
import type { Fields } from './values.ts'

export type JsonEvent = { readonly value: unknown; readonly members: number }
/** Reads the result of JSON.parse. Throws Unreadable if both the strict and the lenient reading fail. */
export type JsonReader = (json: unknown) => JsonEvent

/** The maximum size of all defaults in one event, in octets. */
const defaultOctetsMax = 1_048_576

export function compileJsonReader(type: AvroType): JsonReader {
  const read = createCompiler()(type)
  const readAll = (json: unknown, isLenient: boolean): JsonEvent => {
    const reading = { isLenient, members: 0, defaultsLeft: defaultOctetsMax, isTrial: false }
    const value = read(json, reading, 0)
    return { value, members: reading.members }
  }
  return (json) => {
    try {
      return readAll(json, false)
    } catch (error) {
      if (error !== notStrict) throw error
      return readAll(json, true)
    }
  }
}

function createCompiler(): (type: AvroType) => ReadJson {
  const records = new Map<RecordType, ReadJson>()

  function compile(type: AvroType): ReadJson {
    switch (type.kind) {
      case 'record':
        return compileRecord(type)
      case 'union':
        return readUnion(type, compile)
      case 'array':
        return readArray(compile(type.items))
      case 'map':
        return readMap(compile(type.values))
      default:
        return readScalar(scalarReader(type) ?? (() => undefined), describeType(type))
    }
  }

  /** Compiles a record at its first use, because records may be recursive or form a long chain. */
  function compileRecord(type: RecordType): ReadJson {
    const known = records.get(type)
    if (known) return known
    let inner: ReadJson | undefined
    const read: ReadJson = (json, reading, depth) => {
      inner ??= readRecord(type.fields.map((field) => compileField(field, compile(field.type))))
      return inner(json, reading, depth)
    }
    records.set(type, read)
    return read
  }

  return compile
}

function readScalar(read: ScalarReader, description: string): ReadJson {
  const sentence = `is not ${description}`
  return (json, reading) => {
    const value = read(json)
    if (value === undefined)
      throw refuseJson(reading, json === null ? `is null, not ${description}` : sentence)
    return value
  }
}

type FieldReader = {
  readonly name: string
  readonly read: ReadJson
  readonly default: Default | undefined
  readonly mayBeMissing: boolean
}

const compileField = (field: RecordField, read: ReadJson): FieldReader => ({
  name: field.name,
  read,
  default: compileDefault(field),
  mayBeMissing: field.mayBeMissing ?? false,
})

function readRecord(fields: readonly FieldReader[]): ReadJson {
  const names = new Set(fields.map((field) => field.name))
  const blank: Fields = Object.fromEntries(fields.map((field) => [field.name, null]))
  return (json, reading, depth) => {
    const inner = deeper(reading, depth)
    if (!isFields(json)) throw refuseJson(reading, 'is not an object')
    const record = { ...blank }
    let found = 0
    for (const field of fields) {
      const { name } = field
      const given = json[name]
      try {
        // JSON.parse creates no functions, so a function is `constructor` or another member of the prototype
        if (given === undefined || typeof given === 'function') {
          record[name] = fillIn(field, reading)
        } else {
          record[name] = field.read(given, reading, inner)
          found += 1
        }
      } catch (error) {
        throw atStep(error, name)
      }
    }
    let members = 0
    for (const _ in json) members += 1
    if (members !== found) throw unknownField(Object.keys(json), names, reading)
    reading.members += members
    return record
  }
}

function fillIn(field: FieldReader, reading: JsonReading): unknown {
  if (field.mayBeMissing) return null
  if (!field.default || !reading.isLenient) throw refuseJson(reading, 'is missing')
  reading.defaultsLeft -= field.default.size
  if (reading.defaultsLeft < 0) {
    throw new Unreadable(
      `is one of too many omitted fields (their defaults have more than ${defaultOctetsMax} octets)`,
    )
  }
  return field.default.make()
}

/**
 * Returns the error for an unknown field. Shows the name only if it could be the name of a field, because any other
 * text may be a misplaced value.
 */
function unknownField(
  keys: readonly string[],
  names: ReadonlySet<string>,
  reading: JsonReading,
): Error {
  const refusal = refuseJson(reading, 'is not in the schema')
  const unknown = keys.find((key) => !names.has(key))
  return unknown !== undefined && /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(unknown)
    ? atStep(refusal, unknown)
    : refuseJson(reading, 'has a field that is not in the schema')
}

function readArray(read: ReadJson): ReadJson {
  return (json, reading, depth) => {
    const inner = deeper(reading, depth)
    if (!Array.isArray(json)) throw refuseJson(reading, 'is not a list')
    const list: unknown[] = []
    try {
      for (const item of json) list.push(read(item, reading, inner))
    } catch (error) {
      throw atStep(error, list.length)
    }
    return list
  }
}

function readMap(read: ReadJson): ReadJson {
  return (json, reading, depth) => {
    const inner = deeper(reading, depth)
    if (!isFields(json)) throw refuseJson(reading, 'is not an object')
    const map = emptyMap()
    try {
      for (const [key, value] of Object.entries(json)) {
        if (!key.isWellFormed())
          throw refuseJson(reading, 'has a key that is not well-formed Unicode')
        map[key] = read(value, reading, inner)
        reading.members += 1
      }
    } catch (error) {
      throw atStep(error, '*')
    }
    return map
  }
}
