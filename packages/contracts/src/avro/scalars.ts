// Reads JSON values of types that contain no other values. Only floats are rounded. All other values must fit the type
// exactly.
import { oncePerType } from './per-type.ts'
import type { AvroType, EnumType } from './types.ts'

/** Returns undefined if the JSON value doesn't fit. */
export type ScalarReader = (json: unknown) => unknown

const intMax = 2_147_483_647

const readers: Readonly<Record<string, ScalarReader>> = {
  null: (json) => (json === null ? null : undefined),
  boolean: (json) => (typeof json === 'boolean' ? json : undefined),
  int: (json) =>
    typeof json === 'number' && Number.isInteger(json) && json >= ~intMax && json <= intMax
      ? json
      : undefined,
  long: (json) => (Number.isSafeInteger(json) ? json : undefined),
  // JSON.parse turns a number that is too large into Infinity
  float: (json) => {
    const value = typeof json === 'number' ? Math.fround(json) : Number.NaN
    return Number.isFinite(value) ? value : undefined
  },
  double: (json) => (Number.isFinite(json) ? json : undefined),
  string: (json) => (typeof json === 'string' && json.isWellFormed() ? json : undefined),
  bytes: (json) => (isLatin1(json) ? Buffer.from(json, 'latin1') : undefined),
}

// Avro JSON writes a byte as the character with this code
const beyondLatin1 = /[\u0100-\uFFFF]/
function isLatin1(json: unknown): json is string {
  return typeof json === 'string' && !beyondLatin1.test(json)
}

/** Returns undefined for records, lists, maps and unions. */
export function scalarReader(type: AvroType): ScalarReader | undefined {
  if (type.kind === 'fixed') {
    const { size } = type
    return (json) =>
      isLatin1(json) && json.length === size ? Buffer.from(json, 'latin1') : undefined
  }
  return type.kind === 'enum' ? symbolReader(type) : readers[type.kind]
}

const symbolReader = oncePerType((type: EnumType): ScalarReader => {
  const symbols = new Set<unknown>(type.symbols)
  return (json) => (symbols.has(json) ? json : undefined)
})
