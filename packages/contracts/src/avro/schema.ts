// Parses an Avro schema into types with every name resolved, which `read-avro.ts`, `write-avro.ts` and `read-json.ts`
// compile. Returns a valid type or a list of problems. Never throws, and its recursion is bounded.
import { countJsonMembers, jsonDepthMax } from '@weir/kit'
import { checkDefault } from './defaults.ts'
import { isFullName, isName, nameCharsMax } from './schema-names.ts'
import { branchName, depthMax } from './types.ts'
import type { AvroType, PrimitiveKind, RecordField, RecordType } from './types.ts'

const schemaTextMax = 262_144
/** Bounded, because the lenient reading compares a value with every branch. */
const branchesMax = 100
/** Bounded, because each problem contains a whole path. */
const problemsMax = 100
/** The maximum size of all defaults of a schema together. */
const defaultOctetsMax = 262_144

const primitives: Readonly<Record<PrimitiveKind, AvroType>> = {
  null: { kind: 'null' },
  boolean: { kind: 'boolean' },
  int: { kind: 'int' },
  long: { kind: 'long' },
  float: { kind: 'float' },
  double: { kind: 'double' },
  bytes: { kind: 'bytes' },
  string: { kind: 'string' },
}

export type SchemaResult = { readonly type: AvroType } | { readonly problems: readonly string[] }

export function parseSchema(text: string): SchemaResult {
  if (text.length > schemaTextMax) {
    return { problems: [`is longer than ${schemaTextMax} characters`] }
  }
  if (countJsonMembers(Buffer.from(text)) === undefined) {
    return { problems: [`is nested deeper than ${jsonDepthMax} levels`] }
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { problems: ['is not JSON'] }
  }
  const parsing: Parsing = { named: new Map(), problems: [], withDefault: [] }
  const type = parse(parsing, json, { path: [], namespace: '', depth: 0 })
  if (parsing.problems.length === 0) checkDefaults(parsing)
  return parsing.problems.length === 0 ? { type } : { problems: parsing.problems }
}

/** The current position: the path of field names, and the namespace of short names. */
type Place = {
  readonly path: readonly string[]
  readonly namespace: string
  readonly depth: number
}
type Parsing = {
  readonly named: Map<string, AvroType>
  readonly problems: string[]
  readonly withDefault: { readonly place: Place; readonly field: RecordField }[]
}
type Attributes = Readonly<Record<string, unknown>>

function isAttributes(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
const isPrimitive = (name: string): name is PrimitiveKind => Object.hasOwn(primitives, name)
const withLogical = (type: AvroType, logical: unknown): AvroType =>
  typeof logical === 'string' && isPrimitive(type.kind)
    ? { ...type, kind: type.kind, logical }
    : type
const within = (place: Place, name: string): Place => ({ ...place, path: [...place.path, name] })

/** Records a problem and returns a stand-in type, so that one response can name all problems. */
function refuse(schema: Parsing, place: Place, sentence: string): AvroType {
  if (schema.problems.length < problemsMax) {
    schema.problems.push(
      place.path.length === 0 ? sentence : `${place.path.join('/')}: ${sentence}`,
    )
  }
  return primitives.null
}

function parse(schema: Parsing, json: unknown, place: Place): AvroType {
  if (place.depth > depthMax) return refuse(schema, place, `is nested deeper than ${depthMax}`)
  if (typeof json === 'string') return resolve(schema, json, place)
  if (Array.isArray(json)) return parseUnion(schema, json, place)
  if (!isAttributes(json)) return refuse(schema, place, 'is not an Avro type')
  const inner = { ...place, depth: place.depth + 1 }
  switch (json['type']) {
    case 'record':
    case 'error':
      return parseRecord(schema, json, inner)
    case 'enum':
      return parseEnum(schema, json, place)
    case 'fixed':
      return parseFixed(schema, json, place)
    case 'array':
      return { kind: 'array', items: parse(schema, json['items'], inner) }
    case 'map':
      return { kind: 'map', values: parse(schema, json['values'], inner) }
    default:
      return typeof json['type'] === 'string'
        ? withLogical(resolve(schema, json['type'], place), json['logicalType'])
        : refuse(schema, place, 'has no type')
  }
}

function resolve(schema: Parsing, name: string, place: Place): AvroType {
  if (isPrimitive(name)) return primitives[name]
  const full = name.includes('.') || place.namespace === '' ? name : `${place.namespace}.${name}`
  return (
    schema.named.get(full) ??
    refuse(schema, place, `names a type that is not defined: ${JSON.stringify(name)}`)
  )
}

/**
 * Returns the full name of a type that is being defined, and the namespace inside it; undefined if the name is invalid.
 */
function nameOf(
  schema: Parsing,
  json: Attributes,
  place: Place,
): { full: string; namespace: string } | undefined {
  const { name, namespace } = json
  if (typeof name !== 'string' || !isFullName(name)) {
    refuse(schema, place, `has a ${String(json['type'])} without a valid name`)
    return undefined
  }
  const own = typeof namespace === 'string' ? namespace : place.namespace
  const at = name.lastIndexOf('.')
  const space = at < 0 ? own : name.slice(0, at)
  const full = at >= 0 || own === '' ? name : `${own}.${name}`
  if (space !== '' && !isFullName(space)) {
    refuse(schema, place, 'has an invalid namespace')
  } else if (full.length > nameCharsMax) {
    refuse(schema, place, `has a name that is longer than ${nameCharsMax} characters`)
  } else if (isPrimitive(name)) {
    refuse(schema, place, `gives the name of a primitive type, ${name}, to another type`)
  } else if (schema.named.has(full)) {
    refuse(schema, place, `defines ${full} twice`)
  } else {
    return { full, namespace: space }
  }
  return undefined
}

function parseRecord(schema: Parsing, json: Attributes, place: Place): AvroType {
  const name = nameOf(schema, json, place)
  const fields: RecordField[] = []
  const type: RecordType = { kind: 'record', name: name?.full ?? '', fields }
  if (name) schema.named.set(name.full, type)
  const given = json['fields']
  if (!Array.isArray(given)) return refuse(schema, place, 'has a record without a list of fields')
  const inside = { ...place, namespace: name?.namespace ?? place.namespace }
  const names = new Set<string>()
  for (const field of given) {
    const parsed = parseField(schema, field, inside)
    if (!parsed) continue
    if (names.has(parsed.name)) refuse(schema, inside, `has the field ${parsed.name} twice`)
    names.add(parsed.name)
    fields.push(parsed)
  }
  return type
}

function parseField(schema: Parsing, json: unknown, place: Place): RecordField | undefined {
  const name = isAttributes(json) ? json['name'] : undefined
  // `__proto__` is a valid name in Avro, but no ordinary property of a JavaScript object
  if (!isAttributes(json) || !isName(name)) {
    refuse(schema, place, 'has a field without a valid name')
    return undefined
  }
  const inside = within(place, name)
  if (name === '__proto__') refuse(schema, inside, 'is a name that is not possible here')
  const order = json['order'] ?? 'ascending'
  if (order !== 'ascending' && order !== 'descending' && order !== 'ignore') {
    refuse(schema, inside, 'has an order other than ascending, descending or ignore')
  }
  const type = parse(schema, json['type'], inside)
  if (!Object.hasOwn(json, 'default')) return { name, type, default: undefined }
  const field = { name, type, default: { json: json['default'] } }
  schema.withDefault.push({ place: inside, field })
  return field
}

function parseEnum(schema: Parsing, json: Attributes, place: Place): AvroType {
  const name = nameOf(schema, json, place)
  const given: unknown = json['symbols']
  const symbols: readonly unknown[] = Array.isArray(given) ? given : []
  const valid = symbols.filter(isName)
  const strings = valid.map(String)
  if (symbols.length === 0 || valid.length < symbols.length) {
    return refuse(schema, place, 'has an enum without a list of valid symbols')
  }
  if (new Set(strings).size < strings.length)
    refuse(schema, place, 'has an enum with a symbol twice')
  const fallback = json['default']
  if (fallback !== undefined && !symbols.includes(fallback)) {
    refuse(schema, place, 'has an enum whose default is none of its symbols')
  }
  const type: AvroType = { kind: 'enum', name: name?.full ?? '', symbols: strings }
  if (name) schema.named.set(name.full, type)
  return type
}

function parseFixed(schema: Parsing, json: Attributes, place: Place): AvroType {
  const name = nameOf(schema, json, place)
  const size = json['size']
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 0 || size > 1_048_576) {
    return refuse(schema, place, 'has a fixed without a size of 0 to 1048576')
  }
  const type: AvroType = { kind: 'fixed', name: name?.full ?? '', size }
  if (name) schema.named.set(name.full, type)
  return type
}

function parseUnion(schema: Parsing, json: readonly unknown[], place: Place): AvroType {
  if (json.length > branchesMax) {
    return refuse(schema, place, `has a union of more than ${branchesMax} types`)
  }
  const branches = json.map((branch) => {
    // a union directly inside a union would not increase `depth`, so refusing it also bounds the recursion
    if (Array.isArray(branch)) return refuse(schema, place, 'has a union right inside a union')
    return parse(schema, branch, place)
  })
  if (branches.length === 0) return refuse(schema, place, 'has an empty union')
  const names = branches.map(branchName)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined && schema.problems.length === 0) {
    return refuse(schema, place, `has a union with ${twice} twice`)
  }
  return { kind: 'union', branches }
}

/** Checks the defaults after all types are complete, because a record's default may contain any of its fields. */
function checkDefaults(schema: Parsing): void {
  let octetsLeft = defaultOctetsMax
  for (const { place, field } of schema.withDefault) {
    const checked = checkDefault(field)
    octetsLeft -= 'size' in checked ? checked.size : 0
    if ('problem' in checked) refuse(schema, place, `has a default that ${checked.problem}`)
    else if (octetsLeft < 0) {
      refuse(
        schema,
        place,
        `comes to more than ${defaultOctetsMax} octets with all defaults before it`,
      )
      return
    }
  }
}
