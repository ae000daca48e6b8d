// How an event is represented in memory. A record is a plain object with every field of its schema, in the schema's
// order; a map is an object without prototype; bytes and fixed are Buffers; a long is a safe integer; an enum is its
// symbol. A union of null and one type is the plain value or null; any other union names its branch, because a plain
// value would not tell an int from a long.

/** A record's fields by name, or a map's values by key. */
export type Fields = { [name: string]: unknown }

/** A value of a union that names its branch. `branch` is its index. */
export type Branch = { readonly branch: number; readonly value: unknown }

/**
 * The octets of consecutive fields of a record, unchanged. This object is the value of the first of these fields. Only
 * a writer can use it.
 */
export class RawRun {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly fields: number

  constructor(
    bytes: Buffer,
    { start, end, fields }: { start: number; end: number; fields: number },
  ) {
    this.bytes = bytes
    this.start = start
    this.end = end
    this.fields = fields
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isBranch(value: unknown): value is Branch {
  return isFields(value) && typeof value['branch'] === 'number'
}

/** Returns an object without prototype, in which a key such as `__proto__` is an ordinary key. */
export function emptyMap(): Fields {
  const map: Fields = Object.create(null)
  return map
}
