// Field paths: field names with / between nested records, as in validations, pii_fields and key_field. A path may pass
// through records and nullable records, but not through lists, maps or other unions.
import { oncePerType } from './avro/per-type.ts'
import { depthMax, nullableOf } from './avro/types.ts'
import type { AvroType, RecordField, RecordType } from './avro/types.ts'
import { isFields } from './avro/values.ts'
import type { Fields } from './avro/values.ts'

/** Returns the type at the end of a path; undefined if the path leads to no field. */
export function typeAt(root: RecordType, path: string): AvroType | undefined {
  const names = path.split('/', depthMax + 1)
  if (names.length > depthMax) return undefined // a recursive schema has paths of any length
  let type: AvroType = root
  for (const name of names) {
    const record: AvroType = nullableOf(type) ?? type
    const field: RecordField | undefined =
      record.kind === 'record' ? fieldsOf(record).get(name) : undefined
    if (!field) return undefined
    type = field.type
  }
  return type
}

/** Returns what no path may pass: the first list, map or union on the path; undefined if there is none. */
export const obstacleOn = (root: RecordType, path: string): 'list' | 'map' | 'union' | undefined =>
  path
    .split('/', depthMax)
    .map((_, at, names) => {
      const type = typeAt(root, names.slice(0, at).join('/'))
      const kind = type && (nullableOf(type) ?? type).kind
      return kind === 'array' ? 'list' : kind === 'map' || kind === 'union' ? kind : undefined
    })
    .find((kind) => kind !== undefined)

const fieldsOf = oncePerType(
  ({ fields }: RecordType): ReadonlyMap<string, RecordField> =>
    new Map(fields.map((field) => [field.name, field])),
)

export const isText = (type: AvroType): boolean => (nullableOf(type) ?? type).kind === 'string'

export const isListOfText = (type: AvroType): boolean =>
  type.kind === 'array' && type.items.kind === 'string'

/** Whether a validation can check values of this type: a text or a list of texts, nullable or not. */
export function isCheckable(type: AvroType): boolean {
  const inner = nullableOf(type) ?? type
  return isText(inner) || (inner.kind === 'array' && isText(inner.items))
}

/** A parsed path. */
export type FieldPlace = { readonly parents: readonly string[]; readonly name: string }

export function placeOf(path: string): FieldPlace {
  const parents = path.split('/')
  return { name: parents.pop() ?? '', parents }
}

/** Returns the record that contains the field; undefined if a record on the path is null. */
export function holderOf(event: Fields, place: FieldPlace): Fields | undefined {
  let holder: Fields = event
  for (const name of place.parents) {
    const inner = holder[name]
    if (!isFields(inner)) return undefined
    holder = inner
  }
  return holder
}

/** Returns the text at the path, or undefined if it is null. `isText` must accept the type of the field. */
export function textAtPath(event: Fields, place: FieldPlace): string | undefined {
  const value = holderOf(event, place)?.[place.name]
  return typeof value === 'string' ? value : undefined
}
