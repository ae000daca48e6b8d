import { describe, expect, test } from '@jest/globals'

import { crc32c } from '../../src/protocol/crc32c.ts'

// RFC 3720, B.4
const VECTORS: readonly (readonly [string, Buffer, number])[] = [
  ['32 bytes of zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['32 bytes going up', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ['32 bytes going down', Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c],
  ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
  ['nothing', Buffer.alloc(0), 0],
]

function bitwise(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1
  }
  return ~sum >>> 0
}

describe('the checksum', () => {
  test.each(VECTORS)('of %s is the published one', (_, bytes, checksum) => {
    expect(crc32c(bytes, 0, bytes.length)).toBe(checksum)
  })

  test('is the same at every length and place in memory as computed bit by bit', () => {
    const memory = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 167 + 13) % 256))
    for (let from = 0; from < 20; from++) {
      for (let to = from; to < memory.length; to += 7) {
        expect(crc32c(memory, from, to)).toBe(bitwise(memory.subarray(from, to)))
      }
    }
  })
})
