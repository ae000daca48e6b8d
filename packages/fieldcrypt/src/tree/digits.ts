// Paths and nodes of the tree. Paths are in base 4: four digits to a byte, most significant first.

/** The size of a node: a SHA-256 hash. */
export const NODE_BYTES = 32
export const DIGITS: readonly string[] = ['0', '1', '2', '3']
export const DIGITS_PER_BYTE = 4

export const digitsOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(DIGITS.length).padStart(DIGITS_PER_BYTE, '0'),
)

export function digitsOf(bytes: Uint8Array): string {
  let digits = ''
  for (const byte of bytes) digits += digitsOfByte[byte] ?? ''
  return digits
}

export const packedBytes = (digits: number): number => Math.ceil(digits / DIGITS_PER_BYTE)

/** Returns the digits as bytes. The rest of the last byte is 0. */
export function packDigits(digits: string): Buffer {
  const packed = Buffer.alloc(packedBytes(digits.length))
  for (let at = 0; at < digits.length; at++) {
    const byte = at >>> 2
    packed[byte] = (packed[byte] ?? 0) | (Number(digits[at]) << (6 - 2 * (at & 3)))
  }
  return packed
}
