// Sample values for an event's form: texts that pass simple validations, and complete values for lists, maps and
// nullable records. Independent of the browser.
import { listOf, objectOf, textOf } from '../api/json.ts'
import type { Contract } from '../api/account.ts'
import type { FormField, Values } from './event-form.ts'
import { createResolve, membersOf, numberTypes, nameOfType, withoutNull } from './schema-types.ts'
import type { Resolve } from './schema-types.ts'

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

/** The maximum number of values in one example, because a schema may use the same record many times. */
const valuesMax = 1_000

type Source = {
  readonly resolve: Resolve
  readonly patternsOf: (path: string) => readonly string[]
  valuesLeft: number
}
type Place = { readonly path: string; readonly outer: readonly string[] }

export function samplesOf(contract: Contract, fields: readonly FormField[]): Values {
  const resolve = createResolve(contract.schema)
  const patternsOf = (path: string): string[] =>
    contract.validations.filter(({ field }) => field === path).map(({ pattern }) => pattern)
  return Object.fromEntries(
    fields.map((field) => [
      field.path,
      sampleOf(field, { resolve, patternsOf, valuesLeft: valuesMax }),
    ]),
  )
}

function sampleOf({ path, kind, type, symbols }: FormField, source: Source): string {
  if (kind === 'text' || kind === 'list') return sampleText(path, source.patternsOf(path))
  if (kind === 'number') return '1'
  if (kind === 'boolean') return 'false'
  if (kind === 'choice') return symbols[0] ?? ''
  const example = exampleOf(type, { path, outer: [] }, source)
  return example === null ? '' : JSON.stringify(example, null, 2)
}

/** Returns a value of the type. Uses null where a record would contain itself. */
function exampleOf(given: unknown, place: Place, source: Source): unknown {
  const { inner } = withoutNull(given)
  const type = source.resolve(Array.isArray(inner) ? inner.find((one) => one !== 'null') : inner)
  const name = nameOfType(type)
  source.valuesLeft -= 1
  if (name === 'null' || source.valuesLeft < 0) return null
  if (name === 'record') return recordOf(type, place, source)
  const inside = { ...place, path: `${place.path}/*` }
  if (name === 'array') {
    const item = exampleOf(objectOf(type)['items'], inside, source)
    return item === null ? [] : [item]
  }
  if (name === 'map') {
    const value = exampleOf(objectOf(type)['values'], inside, source)
    return value === null ? {} : { key: value }
  }
  if (name === 'boolean') return false
  if (numberTypes.has(name)) return 1
  if (name === 'enum') return textOf(listOf(objectOf(type)['symbols'])[0])
  if (name === 'fixed') return '\u0000'.repeat(Number(objectOf(type)['size']))
  return name === 'string' ? sampleText(place.path, source.patternsOf(place.path)) : ''
}

function recordOf(type: unknown, { path, outer }: Place, source: Source): unknown {
  const record = objectOf(type)
  const name = textOf(record['name'])
  if (outer.includes(name)) return null
  return Object.fromEntries(
    membersOf(record).map((member) => [
      member.name,
      exampleOf(member.type, { path: `${path}/${member.name}`, outer: [...outer, name] }, source),
    ]),
  )
}

function sampleText(path: string, patterns: readonly string[]): string {
  const own = `${path.split('/').findLast((name) => name !== '*')}-1`
  return (
    [own, ...sampleTexts].find((text) => patterns.every((pattern) => fits(pattern, text))) ?? ''
  )
}

function fits(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text)
  } catch {
    return false
  }
}
