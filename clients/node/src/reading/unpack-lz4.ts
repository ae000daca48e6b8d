// Decodes LZ4 frames without a library. npm's libraries either are native modules, which our images leave out, or don't
// check their input (docs/adr/0030-compressed-records.md). The length is computed before anything is allocated.
// Checksums are ignored, because the record batch has its own.
import { unreadable } from './unpacked.ts'
import type { Unpack } from './unpacked.ts'

/*
 * frame    = magic:4 flags:1 blockMax:1 [contentSize:8] [dictionary:4] headerSum:1 *block end:4 [contentSum:4]
 * block    = size:4 bytes [blockSum:4]         size's highest bit: the bytes are not compressed; size 0: end
 * bytes    = *(token:1 [moreLiterals] literals distance:2 [moreMatch])      all little-endian
 */
const MAGIC = 0x184d2204
const VERSION = 0x40
const VERSION_MASK = 0xc0
const FLAG = { blockSum: 0x10, contentSize: 0x08, dictionary: 0x01 }
const AS_IT_WAS = 0x8000_0000
const MATCH_MIN = 4
const MORE = 15

type Block = { readonly from: number; readonly to: number; readonly isAsItWas: boolean }

export const unpackLz4: Unpack = (frame, bytesMax) => {
  const blocks = blocksOf(frame)
  let bytes = 0
  for (const block of blocks) {
    bytes = block.isAsItWas ? bytes + block.to - block.from : lengthAfter(frame, block, bytes)
    if (bytes > bytesMax) return undefined
  }
  const out = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const block of blocks) {
    if (block.isAsItWas) at += frame.copy(out, at, block.from, block.to)
    else at = decodeBlock(frame, block, out, at)
  }
  return out
}

function blocksOf(frame: Buffer): Block[] {
  if (frame.length < 7 || frame.readUInt32LE(0) !== MAGIC) throw unreadable()
  const flags = frame.readUInt8(4)
  if ((flags & VERSION_MASK) !== VERSION || (flags & FLAG.dictionary) !== 0) throw unreadable()
  const sumBytes = (flags & FLAG.blockSum) === 0 ? 0 : 4
  let at = (flags & FLAG.contentSize) === 0 ? 7 : 15
  const blocks: Block[] = []
  for (;;) {
    if (at + 4 > frame.length) throw unreadable()
    const size = frame.readUInt32LE(at)
    if (size === 0) return blocks
    const isAsItWas = size >= AS_IT_WAS
    const from = at + 4
    const to = from + (isAsItWas ? size - AS_IT_WAS : size)
    if (to > frame.length) throw unreadable()
    blocks.push({ from, to, isAsItWas })
    at = to + sumBytes
  }
}

/** Returns the output's length after the block. Throws for an invalid block, so `decodeBlock` needs no checks. */
function lengthAfter(frame: Buffer, { from, to }: Block, start: number): number {
  let out = start
  let at = from
  const more = (nibble: number): number => {
    let length = nibble
    for (let byte = nibble === MORE ? 255 : 0; byte === 255; length += byte) {
      if (at >= to) throw unreadable()
      byte = frame[at++] ?? 0
    }
    return length
  }
  while (at < to) {
    const token = frame[at++] ?? 0
    const literals = more(token >> 4)
    at += literals
    out += literals
    if (at === to) return out
    if (at + 2 > to) throw unreadable()
    const distance = frame.readUInt16LE(at)
    at += 2
    if (distance === 0 || distance > out) throw unreadable()
    out += more(token & MORE) + MATCH_MIN
  }
  throw unreadable()
}

function decodeBlock(frame: Buffer, { from, to }: Block, out: Buffer, start: number): number {
  let end = start
  let at = from
  const more = (nibble: number): number => {
    let length = nibble
    for (let byte = nibble === MORE ? 255 : 0; byte === 255; length += byte) byte = frame[at++] ?? 0
    return length
  }
  for (;;) {
    const token = frame[at++] ?? 0
    const literals = more(token >> 4)
    frame.copy(out, end, at, at + literals)
    at += literals
    end += literals
    if (at >= to) return end
    const distance = frame.readUInt16LE(at)
    at += 2
    const match = more(token & MORE) + MATCH_MIN
    // Copies byte by byte if the match overlaps its output, which is how LZ4 encodes repetitions.
    if (distance >= match) out.copyWithin(end, end - distance, end - distance + match)
    else for (let i = end; i < end + match; i++) out[i] = out[i - distance] ?? 0
    end += match
  }
}
