// A block that was decoded, to be compared with those that come after it. A content-length that the
// dynamic table knows nothing of is left out: blocks are read from left to right, so between the same
// bytes another one means the same but for its value.
import type { DecodedBlock } from '../../hpack/decoder.ts'
import { lengthBytesMax, lengthLiteralAt, lengthText } from '../../hpack/length-literal.ts'
import type { LengthLiteral } from '../../hpack/length-literal.ts'
import { hasBytesAt } from '../../hpack/same-bytes.ts'
import { withContentLength } from './request-head.ts'
import type { RequestHead } from './request-head.ts'

const nothing = Buffer.alloc(0)

export type KeptBlock = {
  /** The head, if the block is the one that is kept, perhaps with another content-length. */
  read(block: Buffer): RequestHead | undefined
  set(block: Buffer, decoded: DecodedBlock, head: RequestHead): void
  clear(): void
}

export function createKeptBlock(): KeptBlock {
  let kept: RequestHead | undefined
  let hasVariableLength = false
  let memory: Buffer = nothing
  /** What is the same: the bytes before the content-length and those after it. */
  let before: Buffer = nothing
  let after: Buffer = nothing
  return {
    read(block) {
      if (kept === undefined) return undefined
      const length = hasVariableLength ? lengthLiteralAt(block, before.length) : undefined
      if (hasVariableLength && length === undefined) return undefined
      const end = length?.end ?? before.length
      if (block.length - end !== after.length) return undefined
      if (!hasBytesAt(block, end, after) || !hasBytesAt(block, 0, before)) return undefined
      return length === undefined ? kept : withLength(kept, lengthText(block, length))
    },
    set(block, decoded, head) {
      const length = variableLength(decoded, head)
      const { start, end } = length ?? { start: block.length, end: block.length }
      kept = head
      hasVariableLength = length !== undefined
      const size = block.length - (end - start)
      // Not from Node's pool, of which it would keep more alive than it needs.
      if (memory.length < size) memory = Buffer.allocUnsafeSlow(size)
      before = memory.subarray(0, block.copy(memory, 0, 0, start))
      after = memory.subarray(start, start + block.copy(memory, start, end))
    },
    clear: () => void (kept = undefined),
  }
}

/** Only the only one, and only if with any other in its place the list is within its bounds. */
function variableLength(decoded: DecodedBlock, head: RequestHead): LengthLiteral | undefined {
  const { isTooLarge, listBytesLeft, lengthLiteral } = decoded
  const isFree = !isTooLarge && listBytesLeft >= lengthBytesMax
  return isFree && head.count('content-length') === 1 ? lengthLiteral : undefined
}

function withLength(head: RequestHead, text: string | undefined): RequestHead | undefined {
  if (text === undefined) return undefined
  return text === head.first('content-length') ? head : withContentLength(head, text)
}
