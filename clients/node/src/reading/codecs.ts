// Adds Kafka's other codecs to kafkajs, which reads only gzip. Keeps a codec that the program has given to kafkajs.
// unpack-lz4.ts and unpack-snappy.ts are copies of files of the services' Kafka client; a test compares them.
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type kafkajs from 'kafkajs'
import { ReadError } from '../errors.ts'
import { unpackLz4 } from './unpack-lz4.ts'
import { unpackSnappy } from './unpack-snappy.ts'
import { unreadable } from './unpacked.ts'
import type { Unpack } from './unpacked.ts'

type Decompress = (packed: Buffer) => Promise<Buffer>
type Codec = { readonly decompress: Decompress; readonly compress: () => Promise<never> }

/** Four times the largest batch that a topic of Weir accepts. */
const unpackedBytesMax = 16 * 2 ** 20

export function addCodecs({ CompressionCodecs, CompressionTypes }: typeof kafkajs): void {
  const codecs: Partial<Record<number, () => unknown>> = CompressionCodecs
  const add = (type: number, decompress: Decompress): void => {
    if (!isThere(codecs[type])) codecs[type] = () => codecOf(decompress)
  }
  add(CompressionTypes.Snappy, byOurselves(unpackSnappy))
  add(CompressionTypes.LZ4, byOurselves(unpackLz4))
  add(CompressionTypes.ZSTD, unpackZstd)
}

/** Returns false for kafkajs's own placeholders, which throw. */
function isThere(codec: (() => unknown) | undefined): boolean {
  try {
    return codec?.() !== undefined
  } catch {
    return false
  }
}

const codecOf = (decompress: Decompress): Codec => ({
  decompress,
  compress: () =>
    Promise.reject(new Error('@weir/client reads this compression, but does not write it')),
})

const byOurselves =
  (unpack: Unpack): Decompress =>
  async (packed) => {
    const unpacked = unpack(packed, unpackedBytesMax)
    if (unpacked === undefined) throw tooLarge()
    return unpacked
  }

/** Missing in Node before 22.15. */
const { zstdDecompress }: Partial<typeof zlib> = zlib

const unpackZstd: Decompress = async (packed) => {
  if (zstdDecompress === undefined)
    throw new ReadError('unreadable', 'the topic is compressed with zstd: use Node 22.15 or later')
  try {
    return await promisify(zstdDecompress)(packed, { maxOutputLength: unpackedBytesMax })
  } catch (error) {
    throw Object(error).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : unreadable()
  }
}

const tooLarge = (): ReadError =>
  new ReadError('unreadable', 'a batch of records is larger than 16 MiB after decompression')
