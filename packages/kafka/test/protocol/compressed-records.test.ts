// Decodes compressed batches: size limits and invalid input. compressed-topics.integration.test.ts uses real batches.
import { gzipSync, zstdCompressSync } from 'node:zlib'

import { expect, test } from '@jest/globals'
import fc from 'fast-check'

import { codecs, unpackers } from '../../src/protocol/compressed-records.ts'
import { unpackLz4 } from '../../src/protocol/unpack-lz4.ts'
import { unpackSnappy } from '../../src/protocol/unpack-snappy.ts'

const MANY = 1_000_000_000

/** Returns an LZ4 frame. Each block contains `abcabcabc…` of this length, as one match that overlaps its output. */
function lz4Frame(bytes: number, { blockMax = 7, blocks = 1 } = {}): Buffer {
  const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, blockMax << 4, 0])
  const more = moreOf(bytes - 3 - 4 - 15)
  const block = Buffer.concat([Buffer.from([0x3f, 0x61, 0x62, 0x63, 3, 0]), more, Buffer.from([0])])
  const size = Buffer.alloc(4)
  size.writeUInt32LE(block.length)
  const all = Array.from({ length: blocks }, () => Buffer.concat([size, block]))
  return Buffer.concat([head, ...all, Buffer.alloc(4)])
}

function moreOf(length: number): Buffer {
  return Buffer.concat([Buffer.alloc(Math.floor(length / 255), 255), Buffer.from([length % 255])])
}

/** Returns a Snappy block: the claimed length, `abc`, and copies of it. */
function snappyOf(copies: number, claimed = 3 + copies * 64): Buffer {
  const length: number[] = []
  for (let left = claimed; ; left = Math.floor(left / 128)) {
    length.push(left < 128 ? left : (left % 128) + 128)
    if (left < 128) break
  }
  const copy = Buffer.from([(63 << 2) | 2, 3, 0])
  const parts = Array.from({ length: copies }, () => copy)
  return Buffer.concat([Buffer.from([...length, 2 << 2, 0x61, 0x62, 0x63]), ...parts])
}

const abc = (bytes: number): string => 'abc'.repeat(Math.ceil(bytes / 3)).slice(0, bytes)

test('an LZ4 frame is read, however many blocks and repetitions it has', () => {
  expect(unpackLz4(lz4Frame(1_000), MANY)?.toString()).toBe(abc(1_000))
  expect(unpackLz4(lz4Frame(1_000, { blocks: 3 }), MANY)).toHaveLength(3_000)
})

test('Snappy is read bare and in the chunks of snappy-java', () => {
  const bare = snappyOf(5)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(bare.length)
  const head = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1])
  expect(unpackSnappy(bare, MANY)?.toString()).toBe(abc(323))
  expect(unpackSnappy(Buffer.concat([head, size, bare, size, bare]), MANY)?.toString()).toBe(
    abc(323) + abc(323),
  )
})

test('what would unpack into more than allowed is refused before it takes memory', async () => {
  expect(unpackLz4(lz4Frame(1_000), 999)).toBeUndefined()
  expect(unpackSnappy(snappyOf(5), 322)).toBeUndefined()
  expect(unpackSnappy(snappyOf(5, 4_000_000_000), MANY)).toBeUndefined()
  const bomb = Buffer.alloc(20_000_000)
  const packed = new Map<number, Buffer>([
    [codecs.gzip, gzipSync(bomb)],
    [codecs.zstd, zstdCompressSync(bomb)],
    [codecs.lz4, lz4Frame(20_000_000)],
    [codecs.snappy, snappyOf(300_000)],
  ])
  for (const [type, unpack] of unpackers)
    await expect(unpack(packed.get(type) ?? Buffer.alloc(0))).rejects.toMatchObject({
      code: 'kafka.malformed',
      message: 'a batch of records is larger than 16 MiB after decompression',
    })
})

test.each([
  ['LZ4', codecs.lz4, lz4Frame(1_000, { blocks: 2 })],
  ['Snappy', codecs.snappy, snappyOf(5)],
  ['gzip', codecs.gzip, gzipSync(abc(1_000))],
  ['zstd', codecs.zstd, zstdCompressSync(abc(1_000))],
] as const)('%s that was cut or changed is read as something or refused', async (_, type, good) => {
  const unpack = unpackers.get(type)
  const outcome = async (bytes: Buffer) =>
    unpack?.(bytes).then(
      (unpacked) => unpacked.length <= 16 * 1024 * 1024,
      (error: unknown) => Object(error).code === 'kafka.malformed',
    )
  for (let cut = 0; cut < good.length; cut++)
    expect(await outcome(good.subarray(0, cut))).toBe(true)
  const changes = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      const changed = Buffer.from(good)
      for (const [at, byte] of all) changed[at] = byte
      return (await outcome(changed)) === true
    }),
    { numRuns: 500 },
  )
})
