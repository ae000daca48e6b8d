// Decodes Snappy, bare or in the chunks of snappy-java («xerial»), as Java's clients and brokers write it. Every chunk
// begins with its length, so its size is known before anything is allocated. docs/adr/0030-compressed-records.md says
// why no library is used.
import { unreadable } from './unpacked.ts'
import type { Unpack } from './unpacked.ts'

/*
 * xerial   = %x82 "SNAPPY" %x00 version:4 compatible:4 *(size:4 bare)                 big-endian
 * bare     = length:varint *(literal / copy)                                       little-endian
 * literal  = tag:1 [size:1..4] bytes       copy = tag:1 distance:1..4              the tag's lowest bits say which
 */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
const XERIAL_HEADER_BYTES = 16
const LENGTH_BYTES_MAX = 5
/** From this value on, a literal's length is in additional bytes. */
const LONG_LITERAL = 60

type Chunk = { readonly from: number; readonly to: number; readonly length: number }

export const unpackSnappy: Unpack = (packed, bytesMax) => {
  const chunks = chunksOf(packed)
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  if (bytes > bytesMax) return undefined
  const out = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const chunk of chunks) at = decodeChunk(packed, chunk, out, at)
  return out
}

function chunksOf(packed: Buffer): Chunk[] {
  if (!packed.subarray(0, XERIAL.length).equals(XERIAL)) return [chunkOf(packed, 0, packed.length)]
  const chunks: Chunk[] = []
  for (let at = XERIAL_HEADER_BYTES; at < packed.length;) {
    if (at + 4 > packed.length) throw unreadable()
    const from = at + 4
    at = from + packed.readUInt32BE(at)
    if (at > packed.length) throw unreadable()
    chunks.push(chunkOf(packed, from, at))
  }
  return chunks
}

function chunkOf(packed: Buffer, from: number, to: number): Chunk {
  let length = 0
  for (let i = 0; i < LENGTH_BYTES_MAX && from + i < to; i++) {
    const byte = packed[from + i] ?? 0
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { from: from + i + 1, to, length }
  }
  throw unreadable()
}

function decodeChunk(packed: Buffer, { from, to, length }: Chunk, out: Buffer, start: number) {
  const limit = start + length
  let end = start
  let at = from
  const next = (bytes: number): number => {
    at += bytes
    if (at > to) throw unreadable()
    return bytes === 0 ? 0 : packed.readUIntLE(at - bytes, bytes)
  }
  while (at < to) {
    const tag = next(1)
    const kind = tag & 3
    if (kind === 0) {
      const short = tag >> 2
      const literal = (short < LONG_LITERAL ? short : next(short - LONG_LITERAL + 1)) + 1
      if (at + literal > to || end + literal > limit) throw unreadable()
      packed.copy(out, end, at, at + literal)
      at += literal
      end += literal
    } else {
      const match = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
      const distance = kind === 1 ? (tag >> 5) * 256 + next(1) : next(kind === 2 ? 2 : 4)
      if (distance === 0 || distance > end - start || end + match > limit) throw unreadable()
      // Copies byte by byte, because a copy may overlap its output, which is how Snappy encodes repetitions.
      for (let i = end; i < end + match; i++) out[i] = out[i - distance] ?? 0
      end += match
    }
  }
  if (end !== limit) throw unreadable()
  return end
}
