// A form for an event of any contract: the leaves of the schema are its fields, and the values become plain JSON.
// Independent of the browser.
import { listOf, objectOf, textOf } from '../api/json.ts'
import type { Json } from '../api/json.ts'
import type { Contract } from '../api/account.ts'
import { createResolve, membersOf, numberTypes, nameOfType, withoutNull } from './schema-types.ts'
import type { Resolve } from './schema-types.ts'

export type FieldKind = 'text' | 'number' | 'boolean' | 'list' | 'choice' | 'json'

export type FormField = {
  readonly path: string
  readonly kind: FieldKind
  /** The Avro type, without null. */
  readonly type: unknown
  readonly isNullable: boolean
  /** The possible values, if the type is an enum. */
  readonly symbols: readonly string[]
}

/** The only field of the envelope that the user fills in. */
export const consentField: FormField = {
  path: 'svcMeta/consentLevels',
  kind: 'list',
  type: { type: 'array', items: 'int' },
  isNullable: false,
  symbols: [],
}

export type Values = Readonly<Record<string, string>>

export function fieldsOf({ schema }: Contract): FormField[] {
  const resolve = createResolve(schema)
  return membersOf(schema)
    .filter(({ name }) => name !== 'svcMeta')
    .flatMap(({ name, type }) => leavesOf({ path: name, type, outer: [] }, resolve))
}

/** `outer`: the names of the enclosing records, because a record may contain itself. */
type Place = { readonly path: string; readonly type: unknown; readonly outer: readonly string[] }

function leavesOf({ path, type: given, outer }: Place, resolve: Resolve): FormField[] {
  const { inner, isNullable } = withoutNull(given)
  const type = resolve(inner)
  const record = textOf(objectOf(type)['name'])
  if (nameOfType(type) === 'record' && !isNullable && !outer.includes(record))
    return membersOf(objectOf(type)).flatMap((member) =>
      leavesOf(
        { path: `${path}/${member.name}`, type: member.type, outer: [...outer, record] },
        resolve,
      ),
    )
  const symbols = listOf(objectOf(type)['symbols']).map(textOf)
  return [{ path, type, isNullable, kind: kindOf(type), symbols }]
}

function kindOf(type: unknown): FieldKind {
  const name = nameOfType(type)
  if (numberTypes.has(name)) return 'number'
  if (name === 'string') return 'text'
  if (name === 'boolean') return 'boolean'
  if (name === 'enum') return 'choice'
  return name === 'array' && nameOfType(objectOf(type)['items']) === 'string' ? 'list' : 'json'
}

// --- the event ---

export function eventOf(
  contract: Contract,
  { fields, values, consent }: { fields: readonly FormField[]; values: Values; consent: string },
): Json {
  const event: Record<string, unknown> = { svcMeta: envelopeOf(contract, consent) }
  for (const field of fields)
    put(event, field.path.split('/'), valueOf(field, values[field.path] ?? ''))
  return event
}

/** Invalid text is sent unchanged, because the service's error describes best what is wrong. */
function valueOf({ kind, isNullable }: FormField, text: string): unknown {
  if (text === '' && isNullable) return null
  if (kind === 'number')
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  if (kind === 'boolean') return text === 'true'
  if (kind === 'list') return listIn(text)
  return kind === 'json' ? jsonIn(text) : text
}

const listIn = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Sets only the consent, because the service fills in the rest. */
function envelopeOf({ schema }: Contract, consent: string): Json {
  const type = membersOf(schema).find(({ name }) => name === 'svcMeta')?.type
  const members = membersOf(objectOf(type)).map(({ name, type: one }): [string, unknown] => {
    if (name === 'consentLevels') return [name, listIn(consent).map((level) => jsonIn(level))]
    const { inner, isNullable } = withoutNull(one)
    if (isNullable) return [name, null]
    return [name, numberTypes.has(nameOfType(inner)) ? 0 : '']
  })
  return Object.fromEntries(members)
}

function put(
  object: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) return void (object[name] = value)
  const inner: Record<string, unknown> = { ...objectOf(object[name]) }
  put(inner, rest, value)
  object[name] = inner
}

// --- refusals ---

/**
 * Finds the field that a refusal is about: the one that a validation names, or else the longest path in the sentence.
 */
export function fieldIn(
  message: string,
  contract: Contract,
  fields: readonly FormField[],
): string | undefined {
  const paths = [...fields.map(({ path }) => path), consentField.path]
  const named = /^Field: '([^']+)'/.exec(message)?.[1] ?? ruleField(message, contract.id)
  if (named !== undefined && paths.includes(named)) return named
  return paths.filter((path) => message.includes(path)).sort((a, b) => b.length - a.length)[0]
}

function ruleField(message: string, id: string): string | undefined {
  const start = `regex ${id}/`
  return message.startsWith(start) ? message.slice(start.length).split(" '", 1)[0] : undefined
}
