// A gzip body decompressed as it comes, no faster than it is read.
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { hasCode } from '@weir/kit'
import { refusal } from '../errors.ts'

const chunkBytes = 65_536

/** @throws Http2Error `http2.aborted`; `undecodable` where it is not, or no longer, gzip */
export async function* gunzipped(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, void> {
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  pipeline(chunks, gunzip).catch(() => {}) // whoever reads hears of it
  const decompressed: AsyncIterable<Buffer> = gunzip
  try {
    for await (const chunk of decompressed) yield chunk
  } catch (error) {
    if (hasCode(error, 'http2.aborted')) throw error
    throw refusal('undecodable', 'The body is not valid gzip', error)
  }
}
