// Explains why an event does not fit the schema. Names the field in ingest's words (docs/wire-format.md, Ingest), but
// never its value.
import avro from 'avsc'
import { RejectedError } from '../errors.ts'
import { isObject, memberOf } from '../json.ts'
import { meaningOf } from './logical.ts'

export function misfitOf(type: avro.Type, event: object): RejectedError {
  let first: RejectedError | undefined
  type.isValid(event, {
    noUndeclaredFields: true,
    errorHook(path, value, wanted) {
      first ??= misfitAt(placeOf(type, event, path), value, wanted)
    },
  })
  return first ?? misfit([], "doesn't fit the schema")
}

/** `path` is as avsc reports it. */
export const misfitIn = (
  type: avro.Type,
  event: object,
  path: readonly string[],
  sentence: string,
): RejectedError => misfit(placeOf(type, event, path), sentence)

function misfit(place: readonly string[], sentence: string): RejectedError {
  const subject = place.length === 0 ? 'The event' : `Field '${place.join('/')}'`
  return new RejectedError('invalid_event', `${subject} ${sentence}`)
}

function misfitAt(place: readonly string[], value: unknown, wanted: unknown): RejectedError {
  if (value === undefined && place.length > 0) return misfit(place, 'is missing')
  if (!(wanted instanceof avro.Type)) return misfit(place, "doesn't fit the schema")
  const isRecord = wanted instanceof avro.types.RecordType
  if (!isRecord || !isObject(value)) return misfit(place, `is not ${describe(wanted)}`)
  const names = wanted.fields.map(({ name }) => name)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  // A key that is not a field name may be a misplaced value, so the message must not contain it.
  return unknown !== undefined && /^[A-Za-z_]\w{0,63}$/.test(unknown)
    ? misfit([...place, unknown], 'is not in the schema')
    : misfit(place, 'has a field that is not in the schema')
}

const descriptions: Readonly<Record<string, string>> = {
  int: 'an int',
  bytes: 'bytes',
  fixed: 'bytes of the fixed size',
  array: 'a list',
  map: 'an object',
  record: 'an object',
}

function describe(type: avro.Type): string {
  if (type instanceof avro.types.EnumType) return `one of ${type.symbols.join(', ')}`
  const branches = branchesOf(type).map(
    (branch) => (branch.name ?? branch.typeName) + inBrackets(meaningOf(branch)),
  )
  if (branches.length > 0) return `one of ${branches.join(', ')}${namedBranch(type)}`
  return (descriptions[type.typeName] ?? `a ${type.typeName}`) + inBrackets(meaningOf(type))
}

/** Returns how to name the branch. The name is needed only if two branches have the same JavaScript type. */
function namedBranch(type: avro.Type): string {
  if (!(type instanceof avro.types.WrappedUnionType)) return ''
  const named = type.types
    .filter(({ typeName }) => typeName !== 'null')
    .map(({ branchName }) => `{ ${JSON.stringify(branchName)}: … }`)
  return `. Two of these are of one kind, so name yours: ${named.slice(0, 10).join(' or ')}`
}

const inBrackets = (meaning: string | undefined): string =>
  meaning === undefined ? '' : ` (${meaning})`

export const branchesOf = (type: avro.Type): readonly avro.Type[] =>
  type instanceof avro.types.UnwrappedUnionType || type instanceof avro.types.WrappedUnionType
    ? type.types
    : []

/** Returns the path with `*` for each key of a map, because these keys are values of the event. */
function placeOf(type: avro.Type, value: unknown, path: readonly string[]): string[] {
  const [step, ...rest] = path
  if (step === undefined) return []
  if (type instanceof avro.types.UnwrappedUnionType) {
    const kinds = Array.isArray(value) ? ['array'] : ['record', 'map']
    const branch = type.types.find(({ typeName }) => kinds.includes(typeName))
    return branch === undefined ? path.map(() => '*') : placeOf(branch, value, path)
  }
  const inner: unknown = Array.isArray(value) ? value[Number(step)] : memberOf(value, step)
  if (type instanceof avro.types.MapType) return ['*', ...placeOf(type.valuesType, inner, rest)]
  const next = typeAt(type, step)
  return [step, ...(next === undefined ? rest.map(() => '*') : placeOf(next, inner, rest))]
}

/** Returns the type one step inside a list, a record, or a union with named branches. */
function typeAt(type: avro.Type, step: string): avro.Type | undefined {
  if (type instanceof avro.types.ArrayType) return type.itemsType
  if (type instanceof avro.types.RecordType) return type.field(step)?.type
  return branchesOf(type).find((branch) => branch.branchName === step)
}
