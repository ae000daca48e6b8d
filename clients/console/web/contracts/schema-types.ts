// The types of an Avro schema: the members of records, nullable types, and types that are used by their names.
import { isObject, listOf, objectOf, textOf } from '../api/json.ts'
import type { Json } from '../api/json.ts'

/** Returns the definition of a named type, and any other type unchanged. */
export type Resolve = (type: unknown) => unknown

export function createResolve(schema: Json): Resolve {
  const named = new Map<string, unknown>()
  const collect = (type: unknown): void => {
    if (Array.isArray(type)) return type.forEach(collect)
    if (!isObject(type)) return
    const name = shortName(textOf(type['name']))
    if (name !== '') named.set(name, type)
    for (const { type: inner } of membersOf(type)) collect(inner)
    for (const inner of ['type', 'items', 'values']) collect(type[inner])
  }
  collect(schema)
  return (type) => (typeof type === 'string' ? (named.get(shortName(type)) ?? type) : type)
}

const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

export const numberTypes: ReadonlySet<string> = new Set(['int', 'long', 'float', 'double'])

export const membersOf = (record: Json): { name: string; type: unknown }[] =>
  listOf(record['fields'])
    .map(objectOf)
    .map((field) => ({ name: textOf(field['name']), type: field['type'] }))

export function nameOfType(type: unknown): string {
  if (typeof type === 'string') return type
  if (!isObject(type)) return 'union'
  return isObject(type['type']) ? nameOfType(type['type']) : textOf(type['type'])
}

/** Removes null from a union: `["null", X]` is a nullable X. */
export function withoutNull(type: unknown): { inner: unknown; isNullable: boolean } {
  if (!Array.isArray(type)) return { inner: type, isNullable: false }
  const others = listOf(type).filter((branch) => branch !== 'null')
  const isNullable = others.length < type.length
  return { inner: others.length === 1 ? others[0] : type, isNullable }
}
