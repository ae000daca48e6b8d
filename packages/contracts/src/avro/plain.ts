// Converts an event to plain JSON for people, as the WebSocket sends it. Bytes are written as in Avro JSON, and longs
// are numbers. This JSON can't be read back, because it does not name the branches of unions.
import type { AvroType, RecordType } from './types.ts'
import { emptyMap, isBranch, isFields } from './values.ts'
import type { Fields } from './values.ts'
import { nullableOf } from './types.ts'

type Plain = (value: unknown) => unknown

export function compilePlain(type: AvroType): Plain {
  const records = new Map<RecordType, Plain>()

  function compile(part: AvroType): Plain {
    switch (part.kind) {
      case 'record':
        return compileRecord(part)
      case 'array':
        return plainList(compile(part.items))
      case 'map':
        return plainMap(compile(part.values))
      case 'union':
        return nullableOf(part)
          ? plainNullable(part.branches.map(compile), part.branches[0]?.kind === 'null' ? 1 : 0)
          : plainBranch(part.branches.map(compile))
      case 'bytes':
      case 'fixed':
        return (value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value)
      case 'float':
      case 'double':
        // JSON has no NaN or Infinity, and JSON.stringify would write null
        return (value) => (Number.isFinite(value) ? value : String(value))
      default:
        return (value) => value
    }
  }

  /** Compiles a record at its first use, because records may be recursive or form a long chain. */
  function compileRecord(part: RecordType): Plain {
    const known = records.get(part)
    if (known) return known
    let fields: { name: string; plain: Plain }[] | undefined
    const plain: Plain = (value) => {
      fields ??= part.fields.map((field) => ({ name: field.name, plain: compile(field.type) }))
      const from = isFields(value) ? value : {}
      const to: Fields = {}
      for (const field of fields) to[field.name] = field.plain(from[field.name])
      return to
    }
    records.set(part, plain)
    return plain
  }

  return compile(type)
}

const plainList =
  (plain: Plain): Plain =>
  (value) =>
    Array.isArray(value) ? value.map((item) => plain(item)) : value

const plainMap =
  (plain: Plain): Plain =>
  (value) => {
    const map = emptyMap()
    for (const [key, item] of Object.entries(isFields(value) ? value : {})) map[key] = plain(item)
    return map
  }

const plainNullable =
  (plains: readonly Plain[], branch: number): Plain =>
  (value) =>
    value === null ? null : plains[branch]?.(value)

const plainBranch =
  (plains: readonly Plain[]): Plain =>
  (value) =>
    isBranch(value) ? plains[value.branch]?.(value.value) : value
