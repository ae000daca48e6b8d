// Compiles an Avro type into a function that writes an event's value as a raw Avro datum. The values come from Weir's
// own readers. So a value that doesn't fit is a bug, and throws an Error, not an AppError. Lists and maps are written
// as one block. Grammar: `cursor.ts`, `read-avro.ts`.
import { oncePerType } from './per-type.ts'
import { nullableOf } from './types.ts'
import type { AvroType, EnumType, RecordType, UnionType } from './types.ts'
import { isBranch, isFields, RawRun } from './values.ts'

/** The datum is written to one shared buffer, and then copied out. */
type Sink = { bytes: Buffer; at: number }
type Write = (sink: Sink, value: unknown) => void

/** Returns the datum, preceded by the bytes of `before`, if any. */
export type AvroWriter = (value: unknown, before?: Uint8Array) => Buffer

const sink: Sink = { bytes: Buffer.allocUnsafeSlow(65_536), at: 0 }
const sinkBytesKept = 1_048_576

export function compileAvroWriter(type: AvroType): AvroWriter {
  const write = createCompiler()(type)
  return (value, before) => {
    sink.at = 0
    if (before !== undefined) writeOctets(sink, before)
    write(sink, value)
    const datum = Buffer.allocUnsafe(sink.at)
    sink.bytes.copy(datum, 0, 0, sink.at)
    if (sink.bytes.length > sinkBytesKept) sink.bytes = Buffer.allocUnsafeSlow(65_536)
    return datum
  }
}

const misfit = (kind: string): Error => new Error(`an event's value is not an Avro ${kind}`)

function ensure(target: Sink, more: number): void {
  const needed = target.at + more
  if (needed <= target.bytes.length) return
  const larger = Buffer.allocUnsafeSlow(2 * needed)
  target.bytes.copy(larger, 0, 0, target.at)
  target.bytes = larger
}

function writeByte(target: Sink, byte: number): void {
  ensure(target, 1)
  target.bytes[target.at++] = byte
}

function writeLong(target: Sink, value: number): void {
  ensure(target, 10)
  const { bytes } = target
  // the sign and 6 bits, then 7 bits per octet; divided, because bit operations are limited to 32 bits
  const isNegative = value < 0
  const half = isNegative ? -(value + 1) : value
  let octet = ((half % 64) << 1) | (isNegative ? 1 : 0)
  let rest = Math.floor(half / 64)
  while (rest > 0) {
    bytes[target.at++] = octet | 0x80
    octet = rest % 128
    rest = Math.floor(rest / 128)
  }
  bytes[target.at++] = octet
}

function writeString(target: Sink, text: string): void {
  // writes the text first and leaves room for its length, so that the text is encoded only once; most text is ASCII
  const { length } = text
  ensure(target, 10 + 3 * length)
  const start = target.at
  const room = lengthOctets(length)
  const size = target.bytes.write(text, start + room, 'utf8')
  const needed = lengthOctets(size)
  if (needed !== room) {
    target.bytes.copyWithin(start + needed, start + room, start + room + size)
  }
  writeLong(target, size)
  target.at = start + needed + size
}

const lengthOctets = (length: number): number =>
  length < 64 ? 1 : length < 8_192 ? 2 : length < 1_048_576 ? 3 : length < 134_217_728 ? 4 : 5

function writeOctets(target: Sink, octets: Uint8Array): void {
  ensure(target, octets.length)
  target.bytes.set(octets, target.at)
  target.at += octets.length
}

function copyRun(target: Sink, { bytes, start, end }: RawRun): void {
  ensure(target, end - start)
  bytes.copy(target.bytes, target.at, start, end)
  target.at += end - start
}

const writeNumber =
  (kind: string, write: (target: Sink, value: number) => void): Write =>
  (target, value) => {
    if (typeof value !== 'number') throw misfit(kind)
    write(target, value)
  }

const scalars: Readonly<Record<string, Write>> = {
  null: (_, value) => {
    if (value !== null) throw misfit('null')
  },
  boolean: (target, value) => {
    if (typeof value !== 'boolean') throw misfit('boolean')
    writeByte(target, value ? 1 : 0)
  },
  int: writeNumber('int', writeLong),
  long: writeNumber('long', writeLong),
  float: writeNumber('float', (target, value) => {
    ensure(target, 4)
    target.at = target.bytes.writeFloatLE(value, target.at)
  }),
  double: writeNumber('double', (target, value) => {
    ensure(target, 8)
    target.at = target.bytes.writeDoubleLE(value, target.at)
  }),
  string: (target, value) => {
    if (typeof value !== 'string') throw misfit('string')
    writeString(target, value)
  },
  bytes: (target, value) => {
    if (!Buffer.isBuffer(value)) throw misfit('bytes')
    writeLong(target, value.length)
    writeOctets(target, value)
  },
}

function createCompiler(): (type: AvroType) => Write {
  const records = new Map<RecordType, Write>()

  function compile(type: AvroType): Write {
    switch (type.kind) {
      case 'record':
        return compileRecord(type)
      case 'union':
        return writeUnion(type, type.branches.map(compile))
      case 'array':
        return writeArray(compile(type.items))
      case 'map':
        return writeMap(compile(type.values))
      case 'enum':
        return writeEnum(type)
      case 'fixed':
        return (target, value) => {
          if (!Buffer.isBuffer(value) || value.length !== type.size) throw misfit('fixed')
          writeOctets(target, value)
        }
      default:
        return scalars[type.kind] ?? unknownKind
    }
  }

  /** Compiles a record at its first use, because records may be recursive or form a long chain. */
  function compileRecord(type: RecordType): Write {
    const known = records.get(type)
    if (known) return known
    let inner: Write | undefined
    const write: Write = (target, value) => {
      inner ??= writeRecord(
        type.fields.map((field) => field.name),
        type.fields.map((field) => compile(field.type)),
      )
      inner(target, value)
    }
    records.set(type, write)
    return write
  }

  return compile
}

const unknownKind: Write = () => {
  throw misfit('type')
}

function writeRecord(names: readonly string[], writes: readonly Write[]): Write {
  return (target, value) => {
    if (!isFields(value)) throw misfit('record')
    for (let index = 0; index < writes.length; index += 1) {
      const field = value[names[index] ?? '']
      if (field instanceof RawRun) {
        copyRun(target, field)
        index += field.fields - 1
      } else writes[index]?.(target, field)
    }
  }
}

function writeUnion(type: UnionType, writes: readonly Write[]): Write {
  const plain = nullableOf(type)
  if (plain) {
    const nullBranch = type.branches.findIndex((branch) => branch.kind === 'null')
    const write = writes[1 - nullBranch] ?? unknownKind
    return (target, value) => {
      writeByte(target, (value === null ? nullBranch : 1 - nullBranch) << 1)
      if (value !== null) write(target, value)
    }
  }
  return (target, value) => {
    if (!isBranch(value)) throw misfit('union')
    writeLong(target, value.branch)
    const write = writes[value.branch] ?? unknownKind
    write(target, value.value)
  }
}

function writeArray(write: Write): Write {
  return (target, value) => {
    if (!Array.isArray(value)) throw misfit('array')
    if (value.length > 0) {
      writeLong(target, value.length)
      for (const item of value) write(target, item)
    }
    writeByte(target, 0)
  }
}

function writeMap(write: Write): Write {
  return (target, value) => {
    if (!isFields(value)) throw misfit('map')
    const entries = Object.entries(value)
    if (entries.length > 0) {
      writeLong(target, entries.length)
      for (const [key, item] of entries) {
        writeString(target, key)
        write(target, item)
      }
    }
    writeByte(target, 0)
  }
}

const writeEnum = oncePerType(({ symbols }: EnumType): Write => {
  const places = new Map<unknown, number>(symbols.map((symbol, place) => [symbol, place]))
  return (target, value) => {
    const place = places.get(value)
    if (place === undefined) throw misfit('enum')
    writeLong(target, place)
  }
})
