// Compares bytes with those at a position of a block. Two bytes are compared first, because different blocks and tokens
// mostly differ there, and comparing all bytes costs thirty times as much.

export function hasBytesAt(block: Buffer, at: number, bytes: Buffer): boolean {
  const { length } = bytes
  if (length === 0) return true
  const end = at + length
  if (end > block.length) return false
  const middle = length >> 1
  const late = Math.max(length - 2, 0)
  if (bytes[middle] !== block[at + middle] || bytes[late] !== block[at + late]) return false
  return block.compare(bytes, 0, length, at, end) === 0
}
