// Reads header blocks (RFC 7541). A decoder lives as long as its connection, because blocks refer to the dynamic table,
// which earlier blocks filled. A list beyond the limit is still decoded, because the table must stay correct, but its
// fields beyond the limit are dropped.
import type { Field } from './field.ts'
import { fieldSize } from './field.ts'
import { lengthLiteralAt } from './length-literal.ts'
import type { LengthLiteral } from './length-literal.ts'
import { createStringDecoder } from './long-strings.ts'
import type { StringDecoder } from './long-strings.ts'
import { staticTable } from './static-table.ts'

/** The block can't be read, so the connection must end (RFC 7541 2.2, RFC 9113 4.3). */
export class HeaderBlockError extends Error {}

export type DecodedBlock = {
  readonly fields: readonly Field[]
  /** The list was longer than the limit, and `fields` is only its beginning. */
  readonly isTooLarge: boolean
  /** The block changed the dynamic table, so the same bytes may now have another meaning. */
  readonly changedTable: boolean
  /** The bytes that the list could still have; negative if the list was too long. */
  readonly listBytesLeft: number
  /** The position of the last `content-length` that isn't added to the dynamic table. */
  readonly lengthLiteral: LengthLiteral | undefined
}

/** The dynamic table, and the read position in the current block. */
export type HeaderDecoder = {
  readonly tableBytesMax: number
  readonly listBytesMax: number
  readonly listFieldsMax: number
  /** Newest first. */
  readonly table: Field[]
  readonly decodeString: StringDecoder
  tableBytes: number
  tableLimit: number
  block: Buffer
  at: number
}

const staticCount = staticTable.length

type Limits = Pick<HeaderDecoder, 'tableBytesMax' | 'listBytesMax' | 'listFieldsMax'>

export const createHeaderDecoder = (limits: Limits): HeaderDecoder => ({
  ...limits,
  table: [],
  decodeString: createStringDecoder(),
  tableBytes: 0,
  tableLimit: limits.tableBytesMax,
  block: Buffer.alloc(0),
  at: 0,
})

/** @throws HeaderBlockError */
export function decodeHeaders(decoder: HeaderDecoder, block: Buffer): DecodedBlock {
  decoder.block = block
  decoder.at = 0
  const fields: Field[] = []
  let count = 0
  let listBytes = 0
  let changedTable = false
  let lengthLiteral: LengthLiteral | undefined
  while (decoder.at < block.length) {
    const byte = block[decoder.at] ?? 0
    let field: Field
    if (byte >= 0x80) field = fieldAt(decoder, integer(decoder, 7))
    else if (byte >= 0x40) {
      field = literal(decoder, 6)
      remember(decoder, field)
      changedTable = true
    } else if (byte >= 0x20) {
      resize(decoder, count)
      changedTable = true
      continue
    } else {
      lengthLiteral = lengthLiteralAt(block, decoder.at) ?? lengthLiteral
      field = literal(decoder, 4)
    }
    count += 1
    listBytes += fieldSize(field)
    if (listBytes <= decoder.listBytesMax && count <= decoder.listFieldsMax) fields.push(field)
  }
  const isTooLarge = fields.length < count
  const listBytesLeft = decoder.listBytesMax - listBytes
  return { fields, isTooLarge, changedTable, listBytesLeft, lengthLiteral }
}

function literal(decoder: HeaderDecoder, prefixBits: number): Field {
  const index = integer(decoder, prefixBits)
  const name = index === 0 ? string(decoder) : fieldAt(decoder, index).name
  return { name, value: string(decoder) }
}

function fieldAt({ table }: HeaderDecoder, index: number): Field {
  const field = index <= staticCount ? staticTable[index - 1] : table[index - staticCount - 1]
  if (field === undefined) throw new HeaderBlockError('an index is out of range')
  return field
}

/** Reads an integer whose first byte also contains other bits (RFC 7541 5.1). */
function integer(decoder: HeaderDecoder, prefixBits: number): number {
  const { block } = decoder
  const mask = (1 << prefixBits) - 1
  let value = (block[decoder.at++] ?? 0) & mask
  if (value < mask) return value
  for (let shift = 0; shift <= 21; shift += 7) {
    const byte = block[decoder.at++]
    if (byte === undefined) throw new HeaderBlockError('an integer is cut off')
    value += (byte & 127) << shift
    if (byte < 128) return value
  }
  throw new HeaderBlockError('an integer is too large')
}

function string(decoder: HeaderDecoder): string {
  const { block, decodeString } = decoder
  const isHuffman = ((block[decoder.at] ?? 0) & 128) !== 0
  if (decoder.at >= block.length) throw new HeaderBlockError('a string is missing')
  const length = integer(decoder, 7)
  const start = decoder.at
  const end = start + length
  if (end > block.length) throw new HeaderBlockError('a string is cut off')
  decoder.at = end
  const text = isHuffman ? decodeString(block, start, end) : block.toString('latin1', start, end)
  if (text === undefined) throw new HeaderBlockError('a string is not validly coded')
  return text
}

/** Changes the table's size, which is permitted only before the first field (RFC 7541 4.2). */
function resize(decoder: HeaderDecoder, fieldsBefore: number): void {
  if (fieldsBefore > 0) throw new HeaderBlockError('the table is resized within a block')
  const limit = integer(decoder, 5)
  if (limit > decoder.tableBytesMax) throw new HeaderBlockError('the table may not be that large')
  decoder.tableLimit = limit
  shrink(decoder, limit)
}

function remember(decoder: HeaderDecoder, field: Field): void {
  const size = fieldSize(field)
  shrink(decoder, decoder.tableLimit - size)
  // an entry larger than the whole table empties it (RFC 7541 4.4)
  if (size > decoder.tableLimit) return
  decoder.table.unshift(field)
  decoder.tableBytes += size
}

function shrink(decoder: HeaderDecoder, limit: number): void {
  while (decoder.tableBytes > limit) {
    const oldest = decoder.table.pop()
    if (oldest === undefined) break
    decoder.tableBytes -= fieldSize(oldest)
  }
}
