// Cached heads: a block has the same result as with a decoder without a cache, after any earlier blocks.
import fc from 'fast-check'
import { describe, expect, test } from '@jest/globals'
import { createHeadCache } from '../../../src/h2/head/head-cache.ts'
import { requestHead } from '../../../src/h2/head/request-head.ts'
import { createHeaderDecoder, decodeHeaders, HeaderBlockError } from '../../../src/hpack/decoder.ts'
import type { DecodedBlock } from '../../../src/hpack/decoder.ts'
import { literal, postHead, text } from '../../../conformance/frames.ts'
import { encodeHuffman } from '../../hpack/huffman-codes.ts'

const limits = { tableBytesMax: 4_096, listBytesMax: 16_384, listFieldsMax: 104 }
const huffman = (value: string): Buffer => {
  const coded = encodeHuffman(value)
  return Buffer.concat([Buffer.of(0x80 | coded.length), coded])
}
/** content-length as nghttp2 sends it: by its index, and not added to the table. */
const lengthOf = (value: string, code = text, first = 0x0f): Buffer =>
  Buffer.concat([Buffer.of(first, 0x0d), code(value)])
const block = (...pieces: readonly Buffer[]): Buffer => Buffer.concat([postHead('/'), ...pieces])
const remember = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0x40), text(name), text(value)])
const remembered = remember('a', 'b')

/** Returns a cache with a count of its decoder's calls, and a reader without a cache. */
function readers(listBytesMax = limits.listBytesMax) {
  const decoder = createHeaderDecoder({ ...limits, listBytesMax })
  const plain = createHeaderDecoder({ ...limits, listBytesMax })
  let decoded = 0
  const decode = (bytes: Buffer): DecodedBlock => {
    decoded += 1
    return decodeHeaders(decoder, bytes)
  }
  const heads = createHeadCache(decode)
  return {
    heads,
    decodedCount: () => decoded,
    cached: (bytes: Buffer) => reading(() => heads.read(bytes)),
    uncached: (bytes: Buffer) =>
      reading(() => {
        const { fields, isTooLarge } = decodeHeaders(plain, bytes)
        return requestHead(fields, isTooLarge)
      }),
    /** Trailers, which bypass the cache. */
    trailers(bytes: Buffer): void {
      decodeHeaders(plain, bytes)
      if (decodeHeaders(decoder, bytes).changedTable) heads.clear()
    },
  }
}

const names = [
  'content-length',
  'authorization',
  'x',
  'a',
  'content-type',
  'Content-Length',
  ':path',
]

/** Returns all properties of a head as one value, 'malformed', or 'refused' if the whole connection must end. */
function reading(read: () => ReturnType<typeof requestHead>) {
  try {
    const head = read()
    if (head === undefined) return 'malformed'
    const { method, path, query, contentLength, isTooLarge } = head
    const values = names.map((name) => [name, head.first(name), head.count(name)])
    return { method, path, query, contentLength, isTooLarge, values }
  } catch (error) {
    if (error instanceof HeaderBlockError) return 'refused'
    throw error
  }
}

describe('blocks that differ only in their content-length', () => {
  test('are decoded once, in whichever way the number is coded', () => {
    const { heads, decodedCount } = readers()
    const rest = literal('authorization', 'Bearer x')
    const lengths = ['7', '12', '123456789012345', '007', '0']
    const read = lengths.flatMap((value) =>
      [text, huffman].flatMap((code) =>
        [0x0f, 0x1f].map((first) => heads.read(block(lengthOf(value, code, first), rest))),
      ),
    )
    expect(decodedCount()).toBe(1)
    expect(read.map((head) => head?.contentLength)).toEqual(
      lengths.map(Number).flatMap((length) => [length, length, length, length]),
    )
    expect(read[4]?.first('content-length')).toBe('12')
    expect(read[4]?.count('content-length')).toBe(1)
    expect(read[4]?.first('authorization')).toBe('Bearer x')
    expect(read[0]?.contentLength).toBe(7)
  })

  test.each(['', 'a', '1 ', ' 1', '-1', '+1', '1e3', '0x1', '1234567890123456', '1\n', '1.0'])(
    'are malformed with the value %j, as without a head that is kept',
    (value) => {
      for (const code of [text, huffman]) {
        const { cached, uncached } = readers()
        for (const bytes of [block(lengthOf('1', code)), block(lengthOf(value, code))])
          expect(cached(bytes)).toEqual(uncached(bytes))
        expect(cached(block(lengthOf(value, code)))).toBe('malformed')
      }
    },
  )

  test('are read anew when there are two of it, which must agree', () => {
    const { cached } = readers()
    const twice = (a: string, b: string): Buffer => block(lengthOf(a), lengthOf(b))
    expect(cached(twice('5', '5'))).toMatchObject({ contentLength: 5 })
    expect(cached(twice('5', '6'))).toBe('malformed')
    expect(cached(twice('6', '5'))).toBe('malformed')
    const byName = literal('content-length', '5')
    expect(cached(block(byName, lengthOf('5')))).toMatchObject({ contentLength: 5 })
    expect(cached(block(byName, lengthOf('6')))).toBe('malformed')
  })

  test('are cut where the list has no room for more digits', () => {
    const bytes = (value: string): Buffer => block(lengthOf(value))
    for (let listBytesMax = 150; listBytesMax < 260; listBytesMax++) {
      const { cached, uncached } = readers(listBytesMax)
      for (const value of ['1', '123456789012345', '12'])
        expect(cached(bytes(value))).toEqual(uncached(bytes(value)))
    }
  })
})

test('a block that changes the table makes all that was kept count no longer', () => {
  const { heads, decodedCount, trailers } = readers()
  const bytes = block(lengthOf('1'), Buffer.of(0xbe))
  heads.read(block(remembered))
  expect(heads.read(bytes)?.first('a')).toBe('b')
  expect(heads.read(block(lengthOf('2'), Buffer.of(0xbe)))?.first('a')).toBe('b')
  expect(decodedCount()).toBe(2)
  heads.read(block(remember('x', 'y')))
  expect(heads.read(bytes)?.first('x')).toBe('y')
  expect(decodedCount()).toBe(4)
  trailers(remembered)
  expect(heads.read(bytes)?.first('a')).toBe('b')
})

test('a block that changes the table is never kept, since it changes it each time', () => {
  const { heads, decodedCount } = readers()
  for (const value of ['1', '2']) heads.read(block(lengthOf('1'), remember('a', value)))
  for (let time = 0; time < 2; time++) heads.read(block(lengthOf('1'), remember('a', '2')))
  expect(decodedCount()).toBe(4)
  expect(heads.read(block(Buffer.of(0xbf)))?.first('a')).toBe('2')
  expect(heads.read(block(Buffer.of(0xc1)))?.first('a')).toBe('1')
})

test('the blocks of a few kinds of requests are decoded once each', () => {
  const { heads, decodedCount } = readers()
  const kinds = [block(), block(literal('a', '1')), block(literal('a', '2'))]
  for (let round = 0; round < 5; round++) {
    for (const bytes of kinds) heads.read(bytes)
    const head = heads.read(block(lengthOf(String(round)), literal('x', '1')))
    expect(head?.contentLength).toBe(round)
  }
  expect(decodedCount()).toBe(4)
})

test('the memory of a block may be written to after it was read', () => {
  const { heads } = readers()
  const bytes = block(lengthOf('1'), literal('x', '1'))
  heads.read(bytes)
  bytes[bytes.length - 1] = '2'.charCodeAt(0)
  expect(heads.read(bytes)?.first('x')).toBe('2')
})

describe('any sequence of blocks is read as by a decoder without cache', () => {
  const digits = fc.oneof(
    fc.nat().map(String),
    fc.constantFrom('', '0', '1', '01', '1a', ' 1', '999999999999999', '1234567890123456'),
  )
  const length = fc
    .tuple(digits, fc.constantFrom(text, huffman), fc.constantFrom(0x0f, 0x1f))
    .map((args) => lengthOf(...args))
  const token = `Bearer ${'t0ken.'.repeat(30)}`
  const field = fc.oneof(
    { weight: 6, arbitrary: length },
    digits.map((value) => literal('content-length', value)),
    digits.map((value) => Buffer.concat([Buffer.of(0x5c), text(value)])), // added to the table
    fc.constantFrom('/', '/b').map((path) => Buffer.concat([Buffer.of(0x04), text(path)])),
    fc.constantFrom(0xbe, 0xbf, 0x9c, 0x82).map((index) => Buffer.of(index)),
    fc.constantFrom('1', '2').map((value) => literal('x', value)),
    fc
      .constantFrom(`${token}1`, `${token}2`)
      .map((value) => Buffer.concat([Buffer.of(0x1f, 0x08), longString(value)])),
    // Looks like a content-length, inside another value and with overlong numbers.
    fc.constant(literal('x', '\u000f\r\u00011')),
    fc.constant(Buffer.from('0f8d000131', 'hex')),
  )
  /** Fills the dynamic table, so that indices are valid. Some blocks shift its entries. */
  const filled = Buffer.concat(['1', '2', '3'].map((value) => remember('a', value)))
  const shift = fc.nat(5).map((value) => block(remember('x', String(value))))
  const resize = fc.oneof(
    { weight: 15, arbitrary: fc.constant(Buffer.alloc(0)) },
    fc.constant(Buffer.of(0x20)),
  )
  const fields = fc.array(field, { maxLength: 5 })
  const change = fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    fc.tuple(fc.nat(300), fc.nat(255)),
  )
  /** Few prefixes and suffixes, so that many blocks differ only between them. */
  const blocks = fc
    .tuple(
      fc.array(fields, { minLength: 1, maxLength: 2 }),
      fc.array(fields, { minLength: 1, maxLength: 2 }),
    )
    .chain(([begins, ends]) => {
      const [begin, end] = [fc.constantFrom(...begins), fc.constantFrom(...ends)]
      const middle = fc.oneof(length, length, fc.constant(Buffer.alloc(0)))
      const one = fc
        .tuple(resize, begin, middle, end, change)
        .map(([size, before, between, after, changed]) => {
          const bytes = Buffer.concat([size, block(...before, between, ...after)])
          if (changed !== undefined) bytes[changed[0] % bytes.length] = changed[1]
          return bytes
        })
      const some = fc.oneof({ weight: 7, arbitrary: one }, shift)
      return fc.array(some, { minLength: 2, maxLength: 14 })
    })

  test.each([limits.listBytesMax, 300])('with lists of up to %d bytes', (listBytesMax) => {
    fc.assert(
      fc.property(blocks, fc.array(fc.nat(14), { maxLength: 1 }), (sequence, trailersAt) => {
        const { cached, uncached, trailers } = readers(listBytesMax)
        trailers(filled)
        for (const [i, bytes] of sequence.entries()) {
          if (trailersAt.includes(i)) trailers(remembered)
          const expected = uncached(bytes)
          expect(cached(bytes)).toEqual(expected)
          if (expected === 'refused') return // the connection has ended, too
        }
      }),
      { numRuns: 1_500 },
    )
  })
})

/** A string whose length needs more than one byte. */
function longString(value: string): Buffer {
  const coded = encodeHuffman(value)
  const rest = coded.length - 127
  if (rest < 0) return huffman(value)
  return Buffer.concat([Buffer.of(0xff, rest), coded])
}
