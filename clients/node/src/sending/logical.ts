// What the number of a date or a time means, for the error sentence about an invalid value. avsc drops logical types
// unless it gets converters for them, so this file remembers the types that it creates for them.
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

/** For `Type.forSchema`. */
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

/** Undefined for a type without a logical type. */
export const meaningOf = (type: avro.Type): string | undefined => remembered.get(type)
