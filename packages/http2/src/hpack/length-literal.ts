// A `content-length` outside the dynamic table, as some clients send it: its name by index, and its value in full (RFC
// 7541 6.2.2, 6.2.3). Often it is the only field that differs between a client's requests.
//
//   length-literal = %x0F %x0D string / %x1F %x0D string   ; index 28 = 15 + 13
import { decodeHuffman } from './huffman.ts'

/** The range from the literal's first byte to the byte after its last. */
export type LengthLiteral = { readonly start: number; readonly end: number }

const unindexed = 0x0f
const neverIndexed = 0x1f
const indexRest = 0x0d
const valueAt = 3
/** Longer values are ignored, because no length has more digits. */
export const lengthBytesMax = 15

/** Returns the literal that begins at `start`; undefined for another field, or if it is cut off or too long. */
export function lengthLiteralAt(block: Buffer, start: number): LengthLiteral | undefined {
  const first = block[start]
  if (first !== unindexed && first !== neverIndexed) return undefined
  if (block[start + 1] !== indexRest) return undefined
  const bytes = (block[start + 2] ?? 127) & 127
  const end = start + valueAt + bytes
  return bytes <= lengthBytesMax && end <= block.length ? { start, end } : undefined
}

/** Returns the value of a literal; undefined if its coding is invalid. */
export function lengthText(block: Buffer, { start, end }: LengthLiteral): string | undefined {
  const isHuffman = ((block[start + 2] ?? 0) & 128) !== 0
  if (isHuffman) return decodeHuffman(block, start + valueAt, end)
  return block.toString('latin1', start + valueAt, end)
}
