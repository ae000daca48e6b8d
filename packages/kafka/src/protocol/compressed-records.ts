// Decompresses record batches of all codecs. Even if Weir writes plain batches, brokers compress them if
// `compression.type` of the broker or topic says so (docs/adr/0030-compressed-records.md). A batch that would be larger
// than 16 MiB isn't decompressed.
import { promisify } from 'node:util'
import { gunzip, zstdDecompress } from 'node:zlib'

import { unpackLz4 } from './unpack-lz4.ts'
import { unpackSnappy } from './unpack-snappy.ts'
import { unreadable } from './unpacked.ts'
import type { Unpack } from './unpacked.ts'
import { KafkaError } from '../errors.ts'

/** Four times the largest plain batch that a topic of Weir accepts. */
const UNPACKED_BYTES_MAX = 16 * 1024 * 1024

type UnpackLater = (packed: Buffer) => Promise<Buffer>

const zlibs = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) }

/** Decompresses outside of the event loop's thread. */
const byZlib =
  (name: keyof typeof zlibs): UnpackLater =>
  async (packed) => {
    try {
      return await zlibs[name](packed, { maxOutputLength: UNPACKED_BYTES_MAX })
    } catch (error) {
      throw isTooLong(error) ? tooLarge() : unreadable()
    }
  }

const byOurselves =
  (unpack: Unpack): UnpackLater =>
  async (packed) => {
    const unpacked = unpack(packed, UNPACKED_BYTES_MAX)
    if (unpacked === undefined) throw tooLarge()
    return unpacked
  }

const tooLarge = () =>
  new KafkaError('kafka.malformed', 'a batch of records is larger than 16 MiB after decompression')

const isTooLong = (error: unknown): boolean => Object(error).code === 'ERR_BUFFER_TOO_LARGE'

/** The codecs by their numbers in a batch's attributes. */
export const codecs = { gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const

export const unpackers: ReadonlyMap<number, UnpackLater> = new Map([
  [codecs.gzip, byZlib('gzip')],
  [codecs.snappy, byOurselves(unpackSnappy)],
  [codecs.lz4, byOurselves(unpackLz4)],
  [codecs.zstd, byZlib('zstd')],
])
