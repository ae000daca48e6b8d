// The Huffman code: every symbol in both directions, with the tests' own encoder.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeHuffman } from '../../src/hpack/huffman.ts'
import { encodeHuffman, huffmanCodes } from './huffman-codes.ts'

const decode = (bytes: Buffer): string | undefined => decodeHuffman(bytes, 0, bytes.length)

test('the code is complete and no symbol begins another', () => {
  const sum = huffmanCodes.reduce((total, code) => total + 2 ** -code.length, 0)
  expect(huffmanCodes).toHaveLength(257)
  expect(sum).toBe(1)
})

test('each of the 256 symbols comes back, alone and among others', () => {
  for (let symbol = 0; symbol < 256; symbol++) {
    const text = String.fromCharCode(symbol)
    expect(decode(encodeHuffman(text))).toBe(text)
    expect(decode(encodeHuffman(`a${text}~${text}`))).toBe(`a${text}~${text}`)
  }
})

test('any text comes back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = Buffer.from(bytes).toString('latin1')
      expect(decode(encodeHuffman(text))).toBe(text)
    }),
  )
})

test('any bytes are either text, whose coding they are, or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = decode(Buffer.from(bytes))
      const again = text === undefined ? undefined : encodeHuffman(text)
      expect(again ?? Buffer.from(bytes)).toEqual(Buffer.from(bytes))
    }),
  )
})

test('strings of the RFC are coded as it shows', () => {
  expect(encodeHuffman('www.example.com').toString('hex')).toBe('f1e3c2e5f23a6ba0ab90f4ff')
  expect(encodeHuffman('no-cache').toString('hex')).toBe('a8eb10649cbf')
})
