// Generates sample values for an Avro schema, in Avro's JSON encoding. The caller chooses texts and numbers. Pure.
import { failure } from '../errors.ts'
import { isObject, listAt, textAt, textsAt, valueAt } from '../json.ts'

/** Chooses the values, by the path of a field such as `customer/id`. */
export type Choose = {
  text(path: string): string
  /** Returns an integer of at least 0 and below `end`. */
  number(end: number): number
  /** Returns whether a nullable value is present. */
  isThere(path: string): boolean
  /** Returns a value that replaces the generated one, or undefined. */
  instead(path: string): unknown
}

type Named = ReadonlyMap<string, unknown>
type Place = { readonly path: string; readonly namespace: string; readonly named: Named }

/** @returns a function that creates a new value each time. @throws CliError for a schema that isn't Avro */
export function sampleOf(schemaText: string): (choose: Choose) => unknown {
  const schema: unknown = JSON.parse(schemaText)
  const named = new Map<string, unknown>()
  collectNamed(schema, '', named)
  return (choose) => valueOf(schema, { path: '', namespace: '', named }, choose)
}

const fullName = (name: string, namespace: string): string =>
  name.includes('.') || namespace === '' ? name : `${namespace}.${name}`

/** Returns the namespace of the names within a named type. */
function namespaceIn(schema: unknown, outer: string): string {
  const name = textAt(schema, 'name') ?? ''
  if (name.includes('.')) return name.slice(0, name.lastIndexOf('.'))
  return textAt(schema, 'namespace') ?? outer
}

function collectNamed(schema: unknown, outer: string, named: Map<string, unknown>): void {
  if (Array.isArray(schema)) for (const branch of schema) collectNamed(branch, outer, named)
  if (!isObject(schema)) return
  const name = textAt(schema, 'name')
  const namespace = name === undefined ? outer : namespaceIn(schema, outer)
  if (name !== undefined && typeof schema.type === 'string')
    named.set(fullName(name, namespace), { ...schema, namespace })
  for (const field of listAt(schema, 'fields'))
    collectNamed(valueAt(field, 'type'), namespace, named)
  for (const inner of ['type', 'items', 'values']) collectNamed(schema[inner], namespace, named)
}

function valueOf(schema: unknown, place: Place, choose: Choose): unknown {
  if (Array.isArray(schema)) return unionOf(schema, place, choose)
  const instead = choose.instead(place.path)
  if (instead !== undefined) return instead
  if (typeof schema === 'string') return ofName(schema, place, choose)
  const type = valueAt(schema, 'type')
  if (typeof type !== 'string') return valueOf(type, place, choose)
  const namespace = namespaceIn(schema, place.namespace)
  const inside = { ...place, namespace }
  if (type === 'record') return recordOf(schema, inside, choose)
  if (type === 'enum') {
    const symbols = textsAt(schema, 'symbols')
    return symbols[choose.number(symbols.length)]
  }
  if (type === 'fixed') return '\u0000'.repeat(Number(valueAt(schema, 'size')))
  if (type === 'array') return [valueOf(valueAt(schema, 'items'), place, choose)]
  if (type === 'map') return { a: valueOf(valueAt(schema, 'values'), place, choose) }
  return ofName(type, place, choose)
}

function ofName(type: string, place: Place, choose: Choose): unknown {
  switch (type) {
    case 'null':
      return null
    case 'boolean':
      return choose.number(2) === 1
    case 'int':
    case 'long':
      return choose.number(100)
    case 'float':
    case 'double':
      return choose.number(10_000) / 100
    case 'string':
      return choose.text(place.path)
    case 'bytes':
      return 'bytes'
    default:
      return ofNamedType(type, place, choose)
  }
}

function ofNamedType(type: string, place: Place, choose: Choose): unknown {
  const schema = place.named.get(fullName(type, place.namespace)) ?? place.named.get(type)
  if (schema === undefined) throw failure(`the contract's schema names an unknown type, ${type}`)
  return valueOf(schema, place, choose)
}

function recordOf(schema: unknown, place: Place, choose: Choose): unknown {
  const members = listAt(schema, 'fields').map((field) => {
    const name = textAt(field, 'name') ?? ''
    const path = place.path === '' ? name : `${place.path}/${name}`
    return [name, valueOf(valueAt(field, 'type'), { ...place, path }, choose)] as const
  })
  return Object.fromEntries(members)
}

function unionOf(branches: readonly unknown[], place: Place, choose: Choose): unknown {
  const branch = branches.find((each) => each !== 'null')
  const canBeNull = branches.includes('null')
  if (branch === undefined || (canBeNull && !choose.isThere(place.path))) return null
  return { [branchName(branch, place)]: valueOf(branch, place, choose) }
}

function branchName(branch: unknown, { namespace, named }: Place): string {
  if (typeof branch === 'string')
    return named.has(fullName(branch, namespace)) ? fullName(branch, namespace) : branch
  const name = textAt(branch, 'name')
  return name === undefined
    ? (textAt(branch, 'type') ?? '')
    : fullName(name, namespaceIn(branch, namespace))
}
