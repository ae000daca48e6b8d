// Cached long strings: equal bytes give equal strings, and different bytes don't.
import { expect, test } from '@jest/globals'
import { createStringDecoder } from '../../src/hpack/long-strings.ts'
import { decodeHuffman } from '../../src/hpack/huffman.ts'
import { encodeHuffman } from './huffman-codes.ts'

const token = (seed: number, length: number): string =>
  Array.from({ length }, (_, i) => ((seed * 7 + i * i) % 36).toString(36)).join('')

test('strings are decoded as without memory, however many there are and how often they come', () => {
  const decode = createStringDecoder()
  const lengths = [0, 1, 150, 170, 171, 700, 2_500, 4_000]
  for (let round = 0; round < 3; round++)
    for (let seed = 0; seed < 8; seed++)
      for (const length of lengths) {
        const text = token(seed, length)
        const coded = encodeHuffman(text)
        const block = Buffer.concat([Buffer.from('xy'), coded, Buffer.from('z')])
        expect(decode(block, 2, 2 + coded.length)).toBe(text)
      }
})

test('a known string with any bit changed is decoded anew', () => {
  const decode = createStringDecoder()
  const coded = encodeHuffman(token(1, 250))
  decode(coded, 0, coded.length)
  for (let bit = 0; bit < coded.length * 8; bit++) {
    const changed = Buffer.from(coded)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(decode(changed, 0, changed.length)).toBe(decodeHuffman(changed, 0, changed.length))
  }
})

test('what is kept is a copy: the memory of the block may be written to', () => {
  const decode = createStringDecoder()
  const coded = encodeHuffman(token(1, 400))
  const block = Buffer.from(coded)
  decode(block, 0, block.length)
  block.reverse()
  expect(decode(block, 0, block.length)).toBe(decodeHuffman(block, 0, block.length))
  expect(decode(coded, 0, coded.length)).toBe(token(1, 400))
})
