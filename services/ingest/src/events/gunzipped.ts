// Decompresses a gzip body while it is received, at the reader's pace.
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { hasCode } from '@weir/kit'
import { refusal } from '../errors.ts'

const chunkBytes = 65_536

/** @throws Http2Error `http2.aborted`; `undecodable` if the data is not gzip */
export async function* gunzipped(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, void> {
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  pipeline(chunks, gunzip).catch(() => {}) // the reader gets the error
  const decompressed: AsyncIterable<Buffer> = gunzip
  try {
    for await (const chunk of decompressed) yield chunk
  } catch (error) {
    if (hasCode(error, 'http2.aborted')) throw error
    throw refusal('undecodable', 'The body is not valid gzip', error)
  }
}
