// Reading header blocks: the RFC's own examples, and invalid blocks.
import { describe, expect, test } from '@jest/globals'
import { createHeaderDecoder, decodeHeaders, HeaderBlockError } from '../../src/hpack/decoder.ts'
import type { HeaderDecoder } from '../../src/hpack/decoder.ts'
import { fieldOverhead } from '../../src/hpack/field.ts'
import type { Field } from '../../src/hpack/field.ts'
import { sequences } from './rfc7541.ts'

const staticEntries = 61
const limits = { tableBytesMax: 4_096, listBytesMax: 16_384, listFieldsMax: 100 }
const line = ({ name, value }: Field): string => `${name}: ${value}`
const decoded = (decoder: HeaderDecoder, hex: string) =>
  decodeHeaders(decoder, Buffer.from(hex, 'hex'))

/** The dynamic table, by indices. */
function tableOf(decoder: HeaderDecoder): string[] {
  const entries: string[] = []
  for (let index = staticEntries + 1; index < 127; index++)
    try {
      const [field] = decodeHeaders(decoder, Buffer.of(0x80 | index)).fields
      if (field !== undefined) entries.push(line(field))
    } catch {
      break
    }
  return entries
}

describe.each(sequences)('RFC 7541 $name', ({ tableBytesMax, examples }) => {
  test('each block means what the RFC says, and leaves the table that it shows', () => {
    const decoder = createHeaderDecoder({ ...limits, tableBytesMax })
    for (const { block, fields, table, tableBytes } of examples) {
      const read = decoded(decoder, block)
      expect(read.fields.map(line)).toEqual(fields)
      expect(read.isTooLarge).toBe(false)
      expect(tableOf(decoder)).toEqual(table)
      const size = table.reduce((sum, text) => sum + text.length - ': '.length + fieldOverhead, 0)
      expect(size).toBe(tableBytes)
    }
  })
})

test('the integers of RFC 7541 C.1 are read', () => {
  // 10 and 1337 are read as table sizes, which have a five-bit prefix. 42 has an eight-bit prefix, so it is left out.
  const decoder = createHeaderDecoder(limits)
  expect(decoded(decoder, '2a').changedTable).toBe(true)
  expect(decoded(decoder, '3f9a0a').changedTable).toBe(true)
  expect(() => decoded(decoder, '3fe21f')).toThrow(HeaderBlockError) // 4097
})

test.each([
  ['80', 'index 0'],
  ['be', 'an index beyond the table'],
  ['ff80808080808000', 'an integer without end'],
  ['ff', 'an integer that is cut off'],
  ['40', 'a name that is missing'],
  ['400161', 'a value that is missing'],
  ['40016105', 'a value that is cut off'],
  ['8220', 'a new table size after a field'],
  ['3fe21f', 'a table larger than ours'],
  ['00018161', 'Huffman padding with zeros'],
  ['0085ffffffffff', 'Huffman padding of more than seven bits'],
  ['0084fffffffc', 'the end-of-string symbol'],
])('%s is refused: %s', (block) => {
  expect(() => decoded(createHeaderDecoder(limits), block)).toThrow(HeaderBlockError)
})

test('a list beyond its bounds is cut, and the table stays right all the same', () => {
  const decoder = createHeaderDecoder({ ...limits, listFieldsMax: 2, listBytesMax: 1_000 })
  const many = decoded(decoder, '828684' + '4001610162')
  expect([many.fields.length, many.isTooLarge]).toEqual([2, true])
  expect(decoded(decoder, 'be').fields.map(line)).toEqual(['a: b'])
})

test('a bomb of references to one large field costs no more than the list may hold', () => {
  const decoder = createHeaderDecoder(limits)
  const value = Buffer.alloc(4_000, 'x')
  const literal = Buffer.concat([Buffer.from('4001617fa11e', 'hex'), value])
  const bomb = Buffer.concat([literal, Buffer.alloc(30_000, 0xbe)])
  const { fields, isTooLarge } = decodeHeaders(decoder, bomb)
  expect(isTooLarge).toBe(true)
  expect(fields.length).toBeLessThanOrEqual(4)
})
