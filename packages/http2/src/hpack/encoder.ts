// Writes header blocks of responses (RFC 7541): fields of the static table by their index, all others as literals,
// without the dynamic table. So a block's bytes never depend on earlier blocks, and the blocks of constant responses
// can be cached.
import { staticIndexOf, staticNameIndexOf } from './static-table.ts'

/** Names must be in lower case, and values in Latin-1. */
export function encodeHeaders(fields: Iterable<readonly [name: string, value: string]>): Buffer {
  const pieces: Buffer[] = []
  for (const [name, value] of fields) {
    const index = staticIndexOf(name, value)
    if (index > 0) {
      pieces.push(Buffer.of(0x80 | index))
      continue
    }
    const nameIndex = staticNameIndexOf(name)
    pieces.push(integer(0, 4, nameIndex))
    if (nameIndex === 0) pieces.push(string(name))
    pieces.push(string(value))
  }
  return Buffer.concat(pieces)
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([integer(0, 7, bytes.length), bytes])
}

/** RFC 7541 5.1. */
function integer(firstBits: number, prefixBits: number, value: number): Buffer {
  const mask = (1 << prefixBits) - 1
  if (value < mask) return Buffer.of(firstBits | value)
  const bytes = [firstBits | mask]
  let left = value - mask
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128)
  return Buffer.of(...bytes, left)
}
