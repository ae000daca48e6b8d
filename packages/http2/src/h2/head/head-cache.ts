// Caches the heads of the last few header blocks by their bytes, because a client's requests repeat their headers. A
// block that didn't change the dynamic table has the same meaning until the table changes.
import type { DecodedBlock } from '../../hpack/decoder.ts'
import { createKeptBlock } from './kept-block.ts'
import type { KeptBlock } from './kept-block.ts'
import { requestHead } from './request-head.ts'
import type { RequestHead } from './request-head.ts'

/** A few blocks are enough, because other blocks are fast to decode: the decoder caches long strings. */
const blocksMax = 4
const fieldsMax = 40
/** Even a block with a signed token is shorter. */
const blockBytesMax = 2_048

export type HeadCache = {
  /**
   * Returns the head; undefined if the request is malformed.
   * @throws HeaderBlockError
   */
  read(block: Buffer): RequestHead | undefined
  clear(): void
}

export function createHeadCache(decode: (block: Buffer) => DecodedBlock): HeadCache {
  const blocks: KeptBlock[] = []
  let oldest = 0

  const clear = (): void => {
    for (const block of blocks) block.clear()
  }

  const find = (block: Buffer): RequestHead | undefined => {
    for (const kept of blocks) {
      const head = kept.read(block)
      if (head !== undefined) return head
    }
    return undefined
  }

  return {
    read(block) {
      const isShort = block.length <= blockBytesMax
      const known = isShort ? find(block) : undefined
      if (known !== undefined) return known
      const decoded = decode(block)
      const { fields, isTooLarge, changedTable } = decoded
      if (changedTable) clear()
      const head = requestHead(fields, isTooLarge)
      if (head === undefined || !isShort || changedTable || fields.length > fieldsMax) return head
      const place = (blocks[oldest] ??= createKeptBlock())
      place.set(block, decoded, head)
      oldest = (oldest + 1) % blocksMax
      return head
    },
    clear,
  }
}
