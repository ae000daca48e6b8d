// Explains logical types, such as dates, in errors about invalid values. avsc ignores logical types without converters,
// so this file creates their types and remembers the meanings.
import avro from 'avsc'
import { isObject } from '../json.ts'

const meanings: Readonly<Record<string, string>> = {
  'int date': 'date: days since 1970-01-01',
  'int time-millis': 'time-millis: milliseconds since midnight',
  'long time-micros': 'time-micros: microseconds since midnight',
  'long timestamp-millis': 'timestamp-millis: milliseconds since 1970-01-01 in UTC',
  'long timestamp-micros': 'timestamp-micros: microseconds since 1970-01-01 in UTC',
  'long local-timestamp-millis': 'local-timestamp-millis: milliseconds since 1970-01-01',
  'long local-timestamp-micros': 'local-timestamp-micros: microseconds since 1970-01-01',
  'bytes decimal': 'decimal: the unscaled number, big-endian',
}

const kinds = ['int', 'long', 'bytes'] as const

const remembered = new WeakMap<avro.Type, string>()

/** The `typeHook` for `Type.forSchema`. Returns undefined for schemas without a known logical type. */
export function rememberLogical(schema: unknown): avro.Type | undefined {
  if (!isObject(schema)) return undefined
  const { type, logicalType } = schema
  const meaning = meanings[`${String(type)} ${String(logicalType)}`]
  const kind = kinds.find((one) => one === type)
  if (meaning === undefined || kind === undefined) return undefined
  const made = avro.Type.forSchema(kind)
  remembered.set(made, meaning)
  return made
}

export const meaningOf = (type: avro.Type): string | undefined => remembered.get(type)
