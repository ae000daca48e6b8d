// Finds two things that Weir refuses in valid Avro schemas: records that no event can contain, and lists and maps whose
// items have no octets. A few octets could claim any number of such items. Without them, no count in a datum exceeds
// the number of octets after it.
import { depthMax } from './types.ts'
import type { AvroType, RecordType } from './types.ts'

export function limitProblems(root: AvroType): string[] {
  const types = reachableFrom(root)
  const records = types.filter((type) => type.kind === 'record')
  const least = leastOf(records)
  const problems: string[] = []
  for (const type of types) {
    if (type.kind === 'record' && (least.get(type) ?? never).depth > depthMax) {
      problems.push(`${type.name} cannot have a value that is nested no deeper than ${depthMax}`)
    }
    const items = type.kind === 'array' ? type.items : type.kind === 'map' ? type.values : undefined
    if (items && measure(items, least).octets === 0) {
      const name = 'name' in items ? items.name : items.kind
      problems.push(`has a list or map of ${name}, whose items have no octets`)
    }
  }
  return problems
}

/** Returns each type once. Uses no recursion, because references may form a chain of any length. */
export function reachableFrom(root: AvroType): readonly AvroType[] {
  const found = new Set<AvroType>([root])
  for (const type of found) {
    for (const part of partsOf(type)) found.add(part)
  }
  return [...found]
}

export function partsOf(type: AvroType): readonly AvroType[] {
  switch (type.kind) {
    case 'record':
      return type.fields.map((field) => field.type)
    case 'union':
      return type.branches
    case 'array':
      return [type.items]
    case 'map':
      return [type.values]
    default:
      return []
  }
}

/** The minimum size and the minimum nesting depth of a type's values. */
type Least = { readonly octets: number; readonly depth: number }

const never: Least = { octets: Infinity, depth: Infinity }

/**
 * Starts with «no value exists» for each record, and improves the result until nothing changes. Each pass finds values
 * that are nested at least one level deeper. So after `depthMax` passes, only values that are nested too deep are
 * missing. A record without octets contains no union, so it has only one value, which is found by then, too.
 */
function leastOf(records: readonly RecordType[]): ReadonlyMap<RecordType, Least> {
  const least = new Map<RecordType, Least>()
  let isChanged = true
  for (let round = 0; isChanged && round <= depthMax; round += 1) {
    isChanged = false
    for (const record of records) {
      const before = least.get(record) ?? never
      const after = measureFields(record, least)
      if (after.octets === before.octets && after.depth === before.depth) continue
      least.set(record, after)
      isChanged = true
    }
  }
  return least
}

function measureFields(record: RecordType, least: ReadonlyMap<RecordType, Least>): Least {
  let octets = 0
  let depth = 0
  for (const field of record.fields) {
    const part = measure(field.type, least)
    octets += part.octets
    depth = Math.max(depth, part.depth)
  }
  return { octets, depth: depth + 1 }
}

function measure(type: AvroType, least: ReadonlyMap<RecordType, Least>): Least {
  switch (type.kind) {
    case 'record':
      return least.get(type) ?? never
    case 'union': {
      const branches = type.branches.map((branch) => measure(branch, least))
      return {
        octets: 1 + Math.min(...branches.map((branch) => branch.octets)),
        depth: Math.min(...branches.map((branch) => branch.depth)),
      }
    }
    case 'array':
    case 'map':
      return { octets: 1, depth: 1 }
    case 'null':
      return { octets: 0, depth: 0 }
    case 'fixed':
      return { octets: type.size, depth: 0 }
    case 'float':
      return { octets: 4, depth: 0 }
    case 'double':
      return { octets: 8, depth: 0 }
    default:
      return { octets: 1, depth: 0 }
  }
}
