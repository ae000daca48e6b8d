// A form for an event of any contract: the leaves of its schema as fields, sample values that pass simple validations,
// and the event from the values, as plain JSON. Independent of the browser.
import { isObject, listOf, objectOf, textOf } from '../api/json.ts'
import type { Json } from '../api/json.ts'
import type { Contract } from '../api/account.ts'

export type FieldKind = 'text' | 'number' | 'boolean' | 'list' | 'choice' | 'json'

export type FormField = {
  readonly path: string
  readonly kind: FieldKind
  readonly isNullable: boolean
  /** The values of an enum. */
  readonly symbols: readonly string[]
}

export type Values = Readonly<Record<string, string>>

const numberTypes = new Set(['int', 'long', 'float', 'double'])

export const fieldsOf = ({ schema }: Contract): FormField[] =>
  membersOf(schema)
    .filter(({ name }) => name !== 'svcMeta')
    .flatMap(({ name, type }) => leavesOf(name, type))

function leavesOf(path: string, type: unknown): FormField[] {
  const { inner, isNullable } = withoutNull(type)
  const name = typeName(inner)
  if (name === 'record' && !isNullable)
    return membersOf(objectOf(inner)).flatMap((member) =>
      leavesOf(`${path}/${member.name}`, member.type),
    )
  return [
    {
      path,
      isNullable,
      kind: kindOf(inner),
      symbols: listOf(objectOf(inner)['symbols']).map(textOf),
    },
  ]
}

function kindOf(type: unknown): FieldKind {
  const name = typeName(type)
  if (numberTypes.has(name)) return 'number'
  if (name === 'string') return 'text'
  if (name === 'boolean') return 'boolean'
  if (name === 'enum') return 'choice'
  return name === 'array' && typeName(objectOf(type)['items']) === 'string' ? 'list' : 'json'
}

const membersOf = (record: Json): { name: string; type: unknown }[] =>
  listOf(record['fields'])
    .map(objectOf)
    .map((field) => ({ name: textOf(field['name']), type: field['type'] }))

function typeName(type: unknown): string {
  if (typeof type === 'string') return type
  if (!isObject(type)) return 'union'
  return isObject(type['type']) ? typeName(type['type']) : textOf(type['type'])
}

/** `["null", X]` is an optional X. */
function withoutNull(type: unknown): { inner: unknown; isNullable: boolean } {
  if (!Array.isArray(type)) return { inner: type, isNullable: false }
  const others = listOf(type).filter((branch) => branch !== 'null')
  const isNullable = others.length < type.length
  return { inner: others.length === 1 ? others[0] : type, isNullable }
}

// --- samples ---

const sampleTexts = [
  'https://shop.example.com/products/1234',
  '2026-11-22T10:00:00Z',
  '2026-11-22',
  'person@example.com',
  'nl_NL',
  'en',
  'NL',
  '1',
  '42',
  'abc',
  'ABC',
  '0f8fad5b-d9cb-469f-a165-70867728950e',
]

export function samplesOf(contract: Contract, fields: readonly FormField[]): Values {
  return Object.fromEntries(
    fields.map((field) => {
      const rules = contract.validations.filter((rule) => rule.field === field.path)
      return [
        field.path,
        sampleOf(
          field,
          rules.map(({ pattern }) => pattern),
        ),
      ]
    }),
  )
}

function sampleOf({ path, kind, symbols }: FormField, patterns: readonly string[]): string {
  const own = `${path.split('/').at(-1)}-1`
  if (kind === 'text' || kind === 'list')
    return (
      [own, ...sampleTexts].find((text) => patterns.every((pattern) => fits(pattern, text))) ?? ''
    )
  if (kind === 'number') return '1'
  if (kind === 'boolean') return 'false'
  return kind === 'choice' ? (symbols[0] ?? '') : ''
}

function fits(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text)
  } catch {
    return false
  }
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

/** Only the consent: the service fills in the rest. */
function envelopeOf({ schema }: Contract, consent: string): Json {
  const type = membersOf(schema).find(({ name }) => name === 'svcMeta')?.type
  const members = membersOf(objectOf(type)).map(({ name, type: one }): [string, unknown] => {
    if (name === 'consentLevels') return [name, listIn(consent).map((level) => jsonIn(level))]
    const { inner, isNullable } = withoutNull(one)
    if (isNullable) return [name, null]
    return [name, numberTypes.has(typeName(inner)) ? 0 : '']
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

/** The field of a refusal's sentence: the one that a validation names, or else the longest path in the sentence. */
export function fieldIn(
  message: string,
  contract: Contract,
  fields: readonly FormField[],
): string | undefined {
  const paths = fields.map(({ path }) => path)
  const named = /^Field: '([^']+)'/.exec(message)?.[1] ?? ruleField(message, contract.id)
  if (named !== undefined && paths.includes(named)) return named
  return paths.filter((path) => message.includes(path)).sort((a, b) => b.length - a.length)[0]
}

function ruleField(message: string, id: string): string | undefined {
  const start = `regex ${id}/`
  return message.startsWith(start) ? message.slice(start.length).split(" '", 1)[0] : undefined
}
