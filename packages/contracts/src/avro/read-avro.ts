// Compiles an Avro type into a function that reads and checks a raw Avro datum, without magic byte, header or
// container.
//
//   record = *field                       ; in the schema's order
//   union  = long branch                  ; the index of the branch
//   array  = *block %x00    map = *block %x00
//   block  = count [ size ] *item         ; as many items as the absolute value of count says
//   count  = long                         ; if it is negative, a size follows
//   size   = long                         ; the octets of the block's items
import { atStep, Unreadable } from '../unreadable.ts'
import {
  readBoolean,
  readInt,
  readLength,
  readLong,
  readOctets,
  readString,
  skip,
} from './cursor.ts'
import type { Cursor } from './cursor.ts'
import { depthMax, nullableOf } from './types.ts'
import type { AvroType, RecordType, UnionType } from './types.ts'
import { emptyMap } from './values.ts'
import type { Fields } from './values.ts'

/** `depth` counts the records, lists and maps around the value. */
export type ReadAvro = (cursor: Cursor, depth: number) => unknown

/** Throws Unreadable for anything that isn't exactly one datum of the type. */
export type AvroReader = (bytes: Buffer) => unknown

export function compileAvroReader(type: AvroType): AvroReader {
  const read = compileRead(type)
  return (bytes) => {
    const cursor = { bytes, at: 0, end: bytes.length }
    const value = read(cursor, 0)
    if (cursor.at < cursor.end) throw new Unreadable('has octets left over after the event')
    return value
  }
}

/** Compiles a function that reads one value inside a datum, and moves the cursor behind the value. */
export const compileRead = (type: AvroType): ReadAvro => createCompiler()(type)

const scalars: Readonly<Record<string, ReadAvro>> = {
  null: () => null,
  boolean: readBoolean,
  int: readInt,
  long: readLong,
  float: (cursor) => cursor.bytes.readFloatLE(skip(cursor, 4)),
  double: (cursor) => cursor.bytes.readDoubleLE(skip(cursor, 8)),
  bytes: (cursor) => readOctets(cursor, readLength(cursor)),
  string: readString,
}

function createCompiler(): (type: AvroType) => ReadAvro {
  const records = new Map<RecordType, ReadAvro>()

  function compile(type: AvroType): ReadAvro {
    switch (type.kind) {
      case 'record':
        return compileRecord(type)
      case 'union':
        return compileUnion(type, type.branches.map(compile))
      case 'array':
        return readArray(compile(type.items))
      case 'map':
        return readMap(compile(type.values))
      case 'enum':
        return readEnum(type.symbols)
      case 'fixed':
        return (cursor) => readOctets(cursor, type.size)
      default:
        return scalars[type.kind] ?? unknownKind
    }
  }

  /** Compiles a record at its first use, because records may be recursive or form a long chain. */
  function compileRecord(type: RecordType): ReadAvro {
    const known = records.get(type)
    if (known) return known
    let inner: ReadAvro | undefined
    const read: ReadAvro = (cursor, depth) => {
      inner ??= readRecord(
        type.fields.map((field) => field.name),
        type.fields.map((field) => compile(field.type)),
      )
      return inner(cursor, depth)
    }
    records.set(type, read)
    return read
  }

  return compile
}

const unknownKind: ReadAvro = () => {
  throw new Unreadable('is of a type that is not known')
}

function deeper(depth: number): number {
  if (depth >= depthMax) throw new Unreadable(`is nested deeper than ${depthMax}`)
  return depth + 1
}

function readRecord(names: readonly string[], reads: readonly ReadAvro[]): ReadAvro {
  const blank: Fields = Object.fromEntries(names.map((name) => [name, null]))
  return (cursor, depth) => {
    const inner = deeper(depth)
    // copying one object keeps its shape in V8, which is faster than adding the fields one by one
    const record = { ...blank }
    let index = 0
    try {
      for (; index < reads.length; index += 1) {
        record[names[index] ?? ''] = reads[index]?.(cursor, inner)
      }
    } catch (error) {
      throw atStep(error, names[index] ?? '')
    }
    return record
  }
}

function compileUnion(type: UnionType, reads: readonly ReadAvro[]): ReadAvro {
  const isPlain = nullableOf(type) !== undefined
  return (cursor, depth) => {
    const branch = readLong(cursor)
    const read = reads[branch]
    if (!read) throw new Unreadable('has a union branch that the schema lacks')
    const value = read(cursor, depth)
    return isPlain ? value : { branch, value }
  }
}

function readBlocks(cursor: Cursor, item: () => void): void {
  for (;;) {
    const count = readLong(cursor)
    if (count === 0) return
    const size = count < 0 ? readLength(cursor) : undefined
    const start = cursor.at
    const left = cursor.end - start
    // every item has at least one octet, because limits.ts refuses other schemas
    if (Math.abs(count) > left) throw new Unreadable('has more items than octets left')
    if (size !== undefined && size > left) throw new Unreadable('has a block that ends too early')
    for (let items = Math.abs(count); items > 0; items -= 1) item()
    if (size !== undefined && cursor.at - start !== size) {
      throw new Unreadable('has a block of another size than it says')
    }
  }
}

function readArray(read: ReadAvro): ReadAvro {
  return (cursor, depth) => {
    const inner = deeper(depth)
    const list: unknown[] = []
    try {
      readBlocks(cursor, () => list.push(read(cursor, inner)))
    } catch (error) {
      throw atStep(error, list.length)
    }
    return list
  }
}

function readMap(read: ReadAvro): ReadAvro {
  return (cursor, depth) => {
    const inner = deeper(depth)
    const map = emptyMap()
    try {
      readBlocks(cursor, () => {
        const key = readString(cursor)
        if (key in map) throw new Unreadable('has a key twice')
        map[key] = read(cursor, inner)
      })
    } catch (error) {
      throw atStep(error, '*')
    }
    return map
  }
}

function readEnum(symbols: readonly string[]): ReadAvro {
  return (cursor) => {
    const symbol = symbols[readLong(cursor)]
    if (symbol === undefined) throw new Unreadable('is none of the symbols of the enum')
    return symbol
  }
}
