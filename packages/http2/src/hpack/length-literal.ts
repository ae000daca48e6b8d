// A `content-length` as clients send it that don't put it into the dynamic table: its name by index, its
// value in full (RFC 7541 6.2.2, 6.2.3). It is the one field that differs from request to request.
//
//   length-literal = %x0F %x0D string / %x1F %x0D string   ; index 28 = 15 + 13
import { decodeHuffman } from './huffman.ts'

/** From its first byte to the one after its last. */
export type LengthLiteral = { readonly start: number; readonly end: number }

const unindexed = 0x0f
const neverIndexed = 0x1f
const indexRest = 0x0d
const valueAt = 3
/** Longer ones are ignored: no length has more digits. */
export const lengthBytesMax = 15

/** Undefined when there is something else at that byte, or a literal that is cut off or too long. */
export function lengthLiteralAt(block: Buffer, start: number): LengthLiteral | undefined {
  const first = block[start]
  if (first !== unindexed && first !== neverIndexed) return undefined
  if (block[start + 1] !== indexRest) return undefined
  const bytes = (block[start + 2] ?? 127) & 127
  const end = start + valueAt + bytes
  return bytes <= lengthBytesMax && end <= block.length ? { start, end } : undefined
}

/** The value of such a literal; undefined when its coding is invalid. */
export function lengthText(block: Buffer, { start, end }: LengthLiteral): string | undefined {
  const isHuffman = ((block[start + 2] ?? 0) & 128) !== 0
  if (isHuffman) return decodeHuffman(block, start + valueAt, end)
  return block.toString('latin1', start + valueAt, end)
}
