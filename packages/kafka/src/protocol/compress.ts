// Compresses the records of a batch with codecs that brokers and readers support. Codecs are loaded only if batches are
// compressed, because they load the whole client library, 37 MB of memory.
import { createRequire } from 'node:module'

import type * as Library from '@platformatic/kafka'

export const compressions = ['none', 'lz4', 'zstd', 'gzip', 'snappy'] as const
export type Compression = (typeof compressions)[number]

const require = createRequire(import.meta.url)

function algorithmOf(compression: Exclude<Compression, 'none'>) {
  const library: typeof Library = require('@platformatic/kafka')
  return library.compressionsAlgorithms[compression]
}

/** Takes half a second for the first codec. */
export function loadCodec(compression: Compression): void {
  if (compression !== 'none') algorithmOf(compression)
}

/** Compresses everything after the batch's header, if that shortens it. Also returns the codec's number. */
export function compress(
  batch: Buffer,
  headerBytes: number,
  compression: Compression,
): { readonly packed: Buffer; readonly codec: number } {
  if (compression === 'none') return { packed: batch, codec: 0 }
  const { bitmask: codec, compressSync } = algorithmOf(compression)
  const shorter = compressSync(batch.subarray(headerBytes))
  if (shorter.length >= batch.length - headerBytes) return { packed: batch, codec: 0 }
  return { packed: Buffer.concat([batch.subarray(0, headerBytes), shorter]), codec }
}
