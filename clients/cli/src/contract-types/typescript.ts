// Writes a contract as a TypeScript file for @weir/client: the types of its events, and the contract as a constant with
// these types. Auth has checked the schema, so unreadable parts only become `unknown`. Pure.
import { isObject, listAt, textAt, tryParseJson, valueAt } from '../json.ts'
import type { JsonObject } from '../json.ts'
import { constantName, createNames, memberName, stringLiteral, typeName } from './names.ts'

type Writing = {
  /** TypeScript names by full Avro name. */
  readonly names: Map<string, string>
  readonly nameFor: (wish: string) => string
  readonly declarations: string[]
  /** The types of the JSON that a listener gets: bytes are texts, and unions are always plain. */
  readonly isListened: boolean
  /** Set if the schema has bytes, or a union whose values are wrapped. */
  hasListenedForm: boolean
}
/** A type, its branch name in a union, and the kind of its JavaScript values (`bucket`). */
type Written = { readonly text: string; readonly branch: string; readonly bucket: string }

const envelopeName = 'svcMeta'
/** The envelope's fields that ingest overwrites. */
const filledByIngest: readonly string[] = [
  'schemaId',
  'eventContractRef',
  'nonce',
  'timestamp',
  'keyLink',
  'billingId',
]

const primitives: Readonly<Record<string, { text: string; bucket: string }>> = {
  null: { text: 'null', bucket: 'null' },
  boolean: { text: 'boolean', bucket: 'boolean' },
  int: { text: 'number', bucket: 'number' },
  long: { text: 'number', bucket: 'number' },
  float: { text: 'number', bucket: 'number' },
  double: { text: 'number', bucket: 'number' },
  string: { text: 'string', bucket: 'string' },
}

/** @param contract as auth returns it */
export function typesOf(contract: JsonObject): string {
  const id = textAt(contract, 'id') ?? ''
  const given = valueAt(contract, 'schema', 'definition')
  const schema = typeof given === 'string' ? tryParseJson(given) : given
  const names = createNames()
  const constant = names(constantName(id))
  const writing = newWriting(names, false)
  const root: Place = { namespace: '', isEnvelope: false }
  const { text: event } = write(writing, schema, root)
  const listened = newWriting(names, true)
  if (writing.hasListenedForm) write(listened, schema, root)
  return [
    `// The contract ${oneLine(id)}, written by \`weir contract types\`. A published contract never changes, so this file does not change either.`,
    "import type { Contract } from '@weir/client'",
    '',
    ...[...writing.declarations, ...listened.declarations].flatMap((each) => [each, '']),
    `export const ${constant}: Contract<${event}> = {`,
    `  id: ${stringLiteral(id)},`,
    `  schema: ${JSON.stringify({ definition: schema ?? null }, null, 2).replaceAll('\n', '\n  ')},`,
    '}',
    '',
  ].join('\n')
}

const newWriting = (nameFor: Writing['nameFor'], isListened: boolean): Writing => ({
  names: new Map(),
  nameFor,
  declarations: [],
  isListened,
  hasListenedForm: false,
})

const oneLine = (text: string): string => text.replace(/[\r\n\u2028\u2029]/g, ' ')

type Place = { readonly namespace: string; readonly isEnvelope: boolean }

function write(writing: Writing, schema: unknown, place: Place): Written {
  if (typeof schema === 'string') return named(writing, schema, place)
  if (Array.isArray(schema)) return union(writing, schema, place)
  if (!isObject(schema)) return unreadable
  const { type } = schema
  switch (type) {
    case 'record':
    case 'error':
      return record(writing, schema, place)
    case 'enum':
      return enumeration(writing, schema, place)
    case 'fixed': {
      const { fullName } = fullNameOf(schema, place)
      const written = bytesOf(writing, fullName)
      writing.names.set(fullName, written.text)
      return written
    }
    case 'array': {
      const { text } = write(writing, schema['items'], place)
      return { text: `readonly ${inParentheses(text)}[]`, branch: 'array', bucket: 'array' }
    }
    case 'map': {
      const { text } = write(writing, schema['values'], place)
      return { text: `Readonly<Record<string, ${text}>>`, branch: 'map', bucket: 'object' }
    }
    default:
      return write(writing, type, place)
  }
}

const unreadable: Written = { text: 'unknown', branch: 'unknown', bucket: 'unknown' }
const inParentheses = (text: string): string => (/[ |]/.test(text) ? `(${text})` : text)

function bytesOf(writing: Writing, branch: string): Written {
  writing.hasListenedForm = true
  return writing.isListened
    ? { text: 'string', branch, bucket: 'string' }
    : { text: 'Buffer', branch, bucket: 'buffer' }
}

function named(writing: Writing, name: string, { namespace }: Place): Written {
  const { names } = writing
  if (name === 'bytes') return bytesOf(writing, name)
  const primitive = Object.hasOwn(primitives, name) ? primitives[name] : undefined
  if (primitive !== undefined) return { ...primitive, branch: name }
  const fullName = name.includes('.') || namespace === '' ? name : `${namespace}.${name}`
  const found = [fullName, name].find((each) => names.has(each))
  const text = found === undefined ? undefined : names.get(found)
  if (found === undefined || text === undefined) return unreadable
  const bucket = text === 'Buffer' ? 'buffer' : text.includes("'") ? 'string' : 'object'
  return { text, branch: found, bucket }
}

/**
 * A union's values are plain if all branches have different kinds of values. Otherwise each value is wrapped in its
 * branch's name.
 */
function union(writing: Writing, schemas: readonly unknown[], place: Place): Written {
  const branches = schemas.map((schema) => write(writing, schema, place))
  const isClear = new Set(branches.map(({ bucket }) => bucket)).size === branches.length
  if (!isClear) writing.hasListenedForm = true
  const isPlain = isClear || writing.isListened
  const texts = branches.map(({ text, branch, bucket }) =>
    isPlain || bucket === 'null' ? text : `{ readonly ${memberName(branch)}: ${text} }`,
  )
  return { text: [...new Set(texts)].join(' | '), branch: 'union', bucket: 'union' }
}

function fullNameOf(schema: JsonObject, { namespace }: Place) {
  const name = textAt(schema, 'name') ?? 'Event'
  const dot = name.lastIndexOf('.')
  const own = dot < 0 ? (textAt(schema, 'namespace') ?? namespace) : name.slice(0, dot)
  const simple = name.slice(dot + 1)
  return { fullName: own === '' ? simple : `${own}.${simple}`, namespace: own, simple }
}

function enumeration(writing: Writing, schema: JsonObject, place: Place): Written {
  const { fullName } = fullNameOf(schema, place)
  const symbols = listAt(schema, 'symbols').filter((symbol) => typeof symbol === 'string')
  const text = symbols.map(stringLiteral).join(' | ') || 'never'
  writing.names.set(fullName, text)
  return { text, branch: fullName, bucket: 'string' }
}

function record(writing: Writing, schema: JsonObject, place: Place): Written {
  const { fullName, namespace, simple } = fullNameOf(schema, place)
  const text = writing.nameFor(typeName(simple) + (writing.isListened ? 'Listened' : ''))
  // Set before the fields are read, because they may refer to this name.
  writing.names.set(fullName, text)
  const at = writing.declarations.push('') - 1
  const fields = listAt(schema, 'fields').filter(isObject)
  const lines = fields.flatMap((field) =>
    member(writing, field, { namespace, isEnvelope: place.isEnvelope }),
  )
  const doc = docLines([textAt(schema, 'doc')], '')
  writing.declarations[at] = [...doc, `export type ${text} = {`, ...lines, '}'].join('\n')
  return { text, branch: fullName, bucket: 'object' }
}

function member(writing: Writing, field: JsonObject, place: Place): string[] {
  const name = textAt(field, 'name') ?? ''
  const { text } = write(writing, field['type'], { ...place, isEnvelope: name === envelopeName })
  const isFilled = place.isEnvelope && filledByIngest.includes(name)
  const isOptional = !writing.isListened && (isFilled || Object.hasOwn(field, 'default'))
  const doc = docLines(
    [
      textAt(field, 'doc'),
      logicalTypeIn(field['type']),
      isFilled ? 'Filled in by ingest.' : undefined,
    ],
    '  ',
  )
  return [...doc, `  readonly ${memberName(name)}${isOptional ? '?' : ''}: ${text}`]
}

/** Returns a comment about the logical type. Values have the underlying type. */
function logicalTypeIn(schema: unknown): string | undefined {
  if (Array.isArray(schema)) return schema.map(logicalTypeIn).find((found) => found !== undefined)
  const logicalType = textAt(schema, 'logicalType')
  return logicalType === undefined ? undefined : `Logical type ${logicalType}.`
}

function docLines(texts: readonly (string | undefined)[], indent: string): string[] {
  const text = texts.filter((each) => each !== undefined && each.trim() !== '').join(' ')
  if (text === '') return []
  return [`${indent}/** ${oneLine(text).replaceAll('*/', '* /').trim()} */`]
}
