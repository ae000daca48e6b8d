// Reads record batches in whatever codec they lie on the broker: a broker, or somebody who has set `compression.type`
// on a topic, may compress what was written plain. We never compress (docs/adr/0030-compressed-records.md). Imported
// for its effect by client.ts: kafkajs has one registry of codecs for the whole process. It protects the memory: a
// batch that unpacks into more than any topic of ours may hold isn't unpacked.
import { promisify } from 'node:util'
import { gunzip, zstdDecompress } from 'node:zlib'

import kafkajs from 'kafkajs'
import type { CompressionTypes as Codec } from 'kafkajs'

import { unpackLz4 } from './unpack-lz4.ts'
import { unpackSnappy } from './unpack-snappy.ts'
import { unreadable } from './unpacked.ts'
import type { Unpack } from './unpacked.ts'
import { KafkaError } from '../errors.ts'

// Node finds no name for these in a CommonJS module.
const { CompressionCodecs, CompressionTypes } = kafkajs

/** Four times the largest batch that a topic of Weir takes, plain. */
const UNPACKED_BYTES_MAX = 16 * 1024 * 1024

type UnpackLater = (packed: Buffer) => Promise<Buffer>

const zlibs = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) }

/** Off the event loop. */
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
  new KafkaError('kafka.malformed', 'a batch of compressed records unpacks into more than 16 MiB')

const isTooLong = (error: unknown): boolean => Object(error).code === 'ERR_BUFFER_TOO_LARGE'

/** By their numbers in a batch's attributes. */
export const unpackers = new Map<Codec, UnpackLater>([
  [CompressionTypes.GZIP, byZlib('gzip')],
  [CompressionTypes.Snappy, byOurselves(unpackSnappy)],
  [CompressionTypes.LZ4, byOurselves(unpackLz4)],
  [CompressionTypes.ZSTD, byZlib('zstd')],
])

const compress = () =>
  Promise.reject(new KafkaError('kafka.refused', 'Weir writes no compressed records'))
const codecs: Partial<Record<Codec, () => unknown>> = CompressionCodecs
for (const [type, decompress] of unpackers) codecs[type] = () => ({ compress, decompress })
