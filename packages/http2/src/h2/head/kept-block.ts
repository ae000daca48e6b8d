// A decoded block, for comparison with later ones. If its content-length isn't in the dynamic table, the comparison
// skips this value. Blocks are read from left to right, so blocks with equal bytes before and after the value differ
// only in the value.
import type { DecodedBlock } from '../../hpack/decoder.ts'
import { lengthBytesMax, lengthLiteralAt, lengthText } from '../../hpack/length-literal.ts'
import type { LengthLiteral } from '../../hpack/length-literal.ts'
import { hasBytesAt } from '../../hpack/same-bytes.ts'
import { withContentLength } from './request-head.ts'
import type { RequestHead } from './request-head.ts'

const nothing = Buffer.alloc(0)

export type KeptBlock = {
  /** Returns the head if the block equals the cached one, except perhaps for the content-length; else undefined. */
  read(block: Buffer): RequestHead | undefined
  set(block: Buffer, decoded: DecodedBlock, head: RequestHead): void
  clear(): void
}

export function createKeptBlock(): KeptBlock {
  let kept: RequestHead | undefined
  let hasVariableLength = false
  let memory: Buffer = nothing
  /** `before` and `after` are the bytes around the content-length. */
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
      // Not from Node's pool, because a small slice keeps the whole pool in memory.
      if (memory.length < size) memory = Buffer.allocUnsafeSlow(size)
      before = memory.subarray(0, block.copy(memory, 0, 0, start))
      after = memory.subarray(start, start + block.copy(memory, start, end))
    },
    clear: () => void (kept = undefined),
  }
}

/** Returns the content-length if the block has only one, and with any other value the list stays within its limits. */
function variableLength(decoded: DecodedBlock, head: RequestHead): LengthLiteral | undefined {
  const { isTooLarge, listBytesLeft, lengthLiteral } = decoded
  const isFree = !isTooLarge && listBytesLeft >= lengthBytesMax
  return isFree && head.count('content-length') === 1 ? lengthLiteral : undefined
}

function withLength(head: RequestHead, text: string | undefined): RequestHead | undefined {
  if (text === undefined) return undefined
  return text === head.first('content-length') ? head : withContentLength(head, text)
}
