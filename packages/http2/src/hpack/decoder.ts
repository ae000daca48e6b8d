// Reads header blocks (RFC 7541). One decoder lives as long as its connection, because blocks refer to the dynamic
// table of earlier ones. Bounded: a list beyond its limit is still decoded, so that the table stays right, but no
// longer kept.
import type { Field } from './field.ts'
import { fieldSize } from './field.ts'
import { lengthLiteralAt } from './length-literal.ts'
import type { LengthLiteral } from './length-literal.ts'
import { createStringDecoder } from './long-strings.ts'
import { staticTable } from './static-table.ts'

/** The block can't be read: the connection must end (RFC 7541 2.2, RFC 9113 4.3). */
export class HeaderBlockError extends Error {}

export type DecodedBlock = {
  readonly fields: readonly Field[]
  /** The list was longer than the limit; `fields` is its beginning. */
  readonly isTooLarge: boolean
  /** The block changed the dynamic table, so the same bytes would now mean something else. */
  readonly changedTable: boolean
  /** How much longer the list might have been; negative when it was too long. */
  readonly listBytesLeft: number
  /** The position of the last `content-length` that isn't added to the dynamic table. */
  readonly lengthLiteral: LengthLiteral | undefined
}

export type HeaderDecoder = { decode(block: Buffer): DecodedBlock }

const staticCount = staticTable.length

export function createHeaderDecoder(options: {
  tableBytesMax: number
  listBytesMax: number
  listFieldsMax: number
}): HeaderDecoder {
  const { tableBytesMax, listBytesMax, listFieldsMax } = options
  /** Newest first. */
  const table: Field[] = []
  let tableBytes = 0
  let tableLimit = tableBytesMax
  let block: Buffer = Buffer.alloc(0)
  let at = 0
  const decodeString = createStringDecoder()

  const shrink = (limit: number): void => {
    while (tableBytes > limit) {
      const oldest = table.pop()
      if (oldest === undefined) break
      tableBytes -= fieldSize(oldest)
    }
  }

  const remember = (field: Field): void => {
    const size = fieldSize(field)
    shrink(tableLimit - size)
    if (size > tableLimit) return // larger than the whole table: it is empty now (RFC 7541 4.4)
    table.unshift(field)
    tableBytes += size
  }

  const fieldAt = (index: number): Field => {
    const field = index <= staticCount ? staticTable[index - 1] : table[index - staticCount - 1]
    if (field === undefined) throw new HeaderBlockError('an index is out of range')
    return field
  }

  /** An integer whose first byte also holds other bits (RFC 7541 5.1). */
  const integer = (prefixBits: number): number => {
    const mask = (1 << prefixBits) - 1
    let value = (block[at++] ?? 0) & mask
    if (value < mask) return value
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = block[at++]
      if (byte === undefined) throw new HeaderBlockError('an integer is cut off')
      value += (byte & 127) << shift
      if (byte < 128) return value
    }
    throw new HeaderBlockError('an integer is too large')
  }

  const string = (): string => {
    const isHuffman = ((block[at] ?? 0) & 128) !== 0
    if (at >= block.length) throw new HeaderBlockError('a string is missing')
    const length = integer(7)
    const end = at + length
    if (end > block.length) throw new HeaderBlockError('a string is cut off')
    const text = isHuffman ? decodeString(block, at, end) : block.toString('latin1', at, end)
    if (text === undefined) throw new HeaderBlockError('a string is not validly coded')
    at = end
    return text
  }

  const literal = (prefixBits: number): Field => {
    const index = integer(prefixBits)
    const name = index === 0 ? string() : fieldAt(index).name
    return { name, value: string() }
  }

  /** A change of the table's size, allowed only before the first field (RFC 7541 4.2). */
  const resize = (fieldsBefore: number): void => {
    if (fieldsBefore > 0) throw new HeaderBlockError('the table is resized within a block')
    const limit = integer(5)
    if (limit > tableBytesMax) throw new HeaderBlockError('the table may not be that large')
    tableLimit = limit
    shrink(limit)
  }

  return {
    decode(bytes) {
      block = bytes
      at = 0
      const fields: Field[] = []
      let count = 0
      let listBytes = 0
      let changedTable = false
      let lengthLiteral: LengthLiteral | undefined
      while (at < block.length) {
        const byte = block[at] ?? 0
        let field: Field
        if (byte >= 0x80) field = fieldAt(integer(7))
        else if (byte >= 0x40) {
          field = literal(6)
          remember(field)
          changedTable = true
        } else if (byte >= 0x20) {
          resize(count)
          changedTable = true
          continue
        } else {
          lengthLiteral = lengthLiteralAt(block, at) ?? lengthLiteral
          field = literal(4)
        }
        count += 1
        listBytes += fieldSize(field)
        if (listBytes <= listBytesMax && count <= listFieldsMax) fields.push(field)
      }
      const isTooLarge = fields.length < count
      const listBytesLeft = listBytesMax - listBytes
      return { fields, isTooLarge, changedTable, listBytesLeft, lengthLiteral }
    },
  }
}
