// Caches the last few decoded long strings by their coded bytes. Each request repeats long strings, such as signed
// tokens. Clients that keep these out of the dynamic table send them in full each time.
import { decodeHuffman } from './huffman.ts'
import { hasBytesAt } from './same-bytes.ts'

/** Decoding a shorter string is as fast as a look-up. */
const bytesMin = 128
const bytesMax = 2_048
const keptMax = 16

export type StringDecoder = (block: Buffer, start: number, end: number) => string | undefined

/** The returned function decodes as `decodeHuffman` does. */
export function createStringDecoder(): StringDecoder {
  const kept: { readonly bytes: Buffer; readonly text: string }[] = []
  let oldest = 0
  return (block, start, end) => {
    const length = end - start
    if (length < bytesMin || length > bytesMax) return decodeHuffman(block, start, end)
    for (const { bytes, text } of kept)
      if (bytes.length === length && hasBytesAt(block, start, bytes)) return text
    const text = decodeHuffman(block, start, end)
    if (text === undefined) return undefined
    // Not from Node's pool, because a small slice keeps the whole pool in memory.
    const bytes = Buffer.allocUnsafeSlow(length)
    block.copy(bytes, 0, start, end)
    kept[oldest] = { bytes, text }
    oldest = (oldest + 1) % keptMax
    return text
  }
}
