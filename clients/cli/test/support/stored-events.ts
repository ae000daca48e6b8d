// Encodes events as in a topic, for tests of exports, without a library, which might have the same mistake as the
// reader.
import { readEventSchema } from '../../src/export/avro.ts'
import type { EventSchema } from '../../src/export/avro.ts'
import { convertEvents } from '../../src/export/convert.ts'
import { createJsonLines, createRows } from '../../src/export/format-writer.ts'
import type { Format } from '../../src/export/format-writer.ts'
import { mergeShapes, shapeOf } from '../../src/export/shape.ts'

export function long(value: number): Buffer {
  let rest = (BigInt(value) << 1n) ^ (BigInt(value) >> 63n)
  const septets: number[] = []
  for (; rest > 0x7fn; rest >>= 7n) septets.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...septets, Number(rest)])
}
/** Encodes numbers as longs, and texts as strings. Buffers are copied. */
export const octets = (...parts: readonly (number | string | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.flatMap((part) => {
      if (typeof part === 'number') return long(part)
      return typeof part === 'string' ? [long(Buffer.byteLength(part)), Buffer.from(part)] : part
    }),
  )
export function float(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}
export function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}
export const one = (octet: number): Buffer => Buffer.of(octet)

export function schemaOf(schema: object): EventSchema {
  const read = readEventSchema(JSON.stringify(schema))
  if (read === undefined) throw new Error('no schema')
  return read
}
export function isEvent({ decode }: EventSchema, payload: Buffer): boolean {
  try {
    decode(payload)
    return true
  } catch {
    return false
  }
}

export const record = (
  name: string,
  ...fields: readonly (readonly [string, unknown])[]
): object => ({
  type: 'record',
  name,
  fields: fields.map(([field, type]) => ({ name: field, type })),
})

export type Stored = readonly [schema: EventSchema, payload: Buffer]

export async function written(format: Format, events: readonly Stored[]): Promise<string> {
  const pieces: Uint8Array[] = []
  const sink = { write: async (bytes: Uint8Array) => void pieces.push(bytes) }
  const shape = events.map(([{ root }]) => shapeOf(root)).reduce(mergeShapes)
  const writer =
    format === 'jsonl'
      ? createJsonLines(false, sink)
      : createRows(format, { shape, hasKeyLink: false }, sink)
  for (const [schema, value] of events) {
    const place = { partition: 0, offset: 0n, timestampMs: 0, key: null, headers: {} }
    await writer.add({ record: { ...place, value }, event: schema.decode(value) })
  }
  await writer.finish()
  return Buffer.concat(pieces).toString()
}

export const rowOf = ([schema, payload]: Stored): unknown =>
  convertEvents(shapeOf(schema.root))(schema.decode(payload))
