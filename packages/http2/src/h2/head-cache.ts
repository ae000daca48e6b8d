// Requests of one client repeat their headers: a block of bytes that changed nothing in the dynamic
// table means the same until the table changes, so its head is kept by those bytes.
import type { HeaderDecoder } from '../hpack/decoder.ts'
import { requestHead } from './request-head.ts'
import type { RequestHead } from './request-head.ts'

const headsMax = 32
const fieldsMax = 40
/** A block with a signed token in it is shorter. */
const blockBytesMax = 2_048

export type HeadCache = {
  /** The head; undefined when the request is malformed. @throws HeaderBlockError */
  read(block: Buffer): RequestHead | undefined
  clear(): void
}

export function createHeadCache(decoder: HeaderDecoder): HeadCache {
  const heads = new Map<string, RequestHead>()
  return {
    read(block) {
      const isShort = block.length <= blockBytesMax
      const bytes = isShort ? block.toString('latin1') : ''
      const known = isShort ? heads.get(bytes) : undefined
      if (known !== undefined) return known
      const { fields, isTooLarge, changedTable } = decoder.decode(block)
      if (changedTable || heads.size >= headsMax) heads.clear()
      const head = requestHead(fields, isTooLarge)
      const isWorthKeeping = isShort && !changedTable && fields.length <= fieldsMax
      if (isWorthKeeping && head !== undefined) heads.set(bytes, head)
      return head
    },
    clear: () => heads.clear(),
  }
}
