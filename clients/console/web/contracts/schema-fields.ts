// An Avro schema as a table of its leaves: path and type in words. In a path, `*` stands for each item of a list or a
// map.
import { isObject, listOf, objectOf, textOf } from '../api/json.ts'
import type { Json } from '../api/json.ts'
import { createResolve, membersOf, nameOfType, withoutNull } from './schema-types.ts'
import type { Resolve } from './schema-types.ts'

export type SchemaField = { readonly path: string; readonly type: string }

/** A limit, because a schema may use the same record many times. */
const fieldsMax = 1_000

export function schemaFieldsOf(schema: Json): SchemaField[] {
  const all: SchemaField[] = []
  for (const leaf of leaves(schema, { path: [], outer: [] }, createResolve(schema))) {
    if (all.length === fieldsMax) break
    all.push(leaf)
  }
  const isEnvelope = ({ path }: SchemaField): boolean => path.startsWith('svcMeta')
  return [...all.filter((field) => !isEnvelope(field)), ...all.filter(isEnvelope)]
}

/** `outer`: the names of the enclosing records, because a record may contain itself. */
type Place = { readonly path: readonly string[]; readonly outer: readonly string[] }

function* leaves(record: Json, { path, outer }: Place, resolve: Resolve): Generator<SchemaField> {
  const name = textOf(record['name'])
  if (outer.includes(name)) return
  for (const member of membersOf(record)) {
    const own = [...path, member.name]
    const { type, steps } = innermost(member.type, resolve)
    const isRecord = nameOfType(type) === 'record'
    if (!isRecord || type !== resolve(member.type))
      yield { path: own.join('/'), type: inWords(member.type) }
    if (isRecord)
      yield* leaves(objectOf(type), { path: [...own, ...steps], outer: [...outer, name] }, resolve)
  }
}

/** Removes lists, maps and null. Returns the innermost type, and a `*` for each list or map. */
function innermost(given: unknown, resolve: Resolve): { type: unknown; steps: readonly string[] } {
  const type = resolve(withoutNull(given).inner)
  const { items, values } = objectOf(type)
  const isList = nameOfType(type) === 'array'
  if (!isList && nameOfType(type) !== 'map') return { type, steps: [] }
  const inner = innermost(isList ? items : values, resolve)
  return { type: inner.type, steps: ['*', ...inner.steps] }
}

function inWords(type: unknown): string {
  if (typeof type === 'string') return type
  if (Array.isArray(type)) {
    const others = listOf(type)
      .filter((branch) => branch !== 'null')
      .map(inWords)
    return others.length < type.length ? `${others.join(' or ')}, may be null` : others.join(' or ')
  }
  const object = objectOf(type)
  if (object['type'] === 'array') return `list of ${inWords(object['items'])}`
  if (object['type'] === 'map') return `map of ${inWords(object['values'])}`
  if (object['type'] === 'enum') return listOf(object['symbols']).map(textOf).join(' or ')
  return isObject(object['type']) ? inWords(object['type']) : textOf(object['type'])
}
