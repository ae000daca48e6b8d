// The worst heads of requests: HPACK blocks, their frames, and parsed headers. A head has up to 16 KiB. These cases are
// larger, so that the growth shows.
import { createFrameReader } from '../../../../packages/http2/src/h2/frames/frame-reader.ts'
import { requestHead } from '../../../../packages/http2/src/h2/head/request-head.ts'
import { createHeaderDecoder, decodeHeaders } from '../../../../packages/http2/src/hpack/decoder.ts'
import {
  frame,
  frameTypes,
  literal,
  postHead,
  text,
} from '../../../../packages/http2/conformance/frames.ts'
import { verifyIdToken } from '../../../../packages/tokens/src/verify.ts'
import { namedForm } from '@weir/contracts'
import { parseTraceparent } from '@weir/kit'
import type { ParserCase } from '../../src/complexity/parser-growth.ts'
import { many } from './parts.ts'

const limits = { tableBytesMax: 4_096, listBytesMax: 16_384, listFieldsMax: 104 }

/** Decodes the block with a new decoder each time. */
const decoding = (block: Buffer) => () => {
  const decoder = createHeaderDecoder(limits)
  const { fields, isTooLarge } = decodeHeaders(decoder, block)
  return requestHead(fields, isTooLarge)
}
/** Returns a field that is added to the dynamic table. */
const remembered = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0x40), text(name), text(value)])
const huffman = (octets: number, octet: number): Buffer => {
  const length: number[] = [0xff]
  let rest = octets - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128)
  return Buffer.concat([Buffer.from([...length, rest]), Buffer.alloc(octets, octet)])
}

const framesOf = (bytes: Buffer, pieceBytes: number) => () => {
  let payloads = 0
  const read = createFrameReader((_type, _flags, _stream, payload) => {
    payloads += payload.length
  })
  for (let at = 0; at < bytes.length; at += pieceBytes) read(bytes.subarray(at, at + pieceBytes))
  return payloads
}

const thousand = Buffer.alloc(1_000)

const token = (text: string) => () =>
  verifyIdToken(text, { keyOf: () => undefined, issuer: 'http://auth.test', nowSeconds: 0 })

export const headerCases: readonly ParserCase[] = [
  {
    name: 'a block of fields that are all remembered',
    size: 3_000,
    at: (n) => decoding(Buffer.concat([postHead('/'), ...many(n, () => remembered('', ''))])),
    ends: 'taken',
  },
  {
    name: 'a block that points at the oldest field again and again',
    size: 8_000,
    at: (n) =>
      decoding(
        Buffer.concat([
          postHead('/'),
          ...many(128, () => remembered('', '')),
          Buffer.concat(many(n, () => Buffer.of(0xff, 0x3e))),
        ]),
      ),
    ends: 'taken',
  },
  {
    name: 'a block that points at one large field again and again',
    size: 8_000,
    at: (n) =>
      decoding(
        Buffer.concat([postHead('/'), remembered('a', 'x'.repeat(120)), Buffer.alloc(n, 0xbe)]),
      ),
    ends: 'taken',
  },
  {
    name: 'a block that changes the size of the table again and again',
    size: 8_000,
    at: (n) => decoding(Buffer.concat([Buffer.alloc(2 * n, Buffer.of(0x20, 0x3e)), postHead('/')])),
    ends: 'taken',
  },
  {
    name: 'a block of long texts in Huffman codes, no two alike',
    size: 12,
    at: (n) =>
      decoding(
        Buffer.concat([
          postHead('/'),
          ...many(n, (i) =>
            Buffer.concat([Buffer.of(0), text('a'), huffman(1_900 - 5 * (i % 90), 0)]),
          ),
        ]),
      ),
    ends: 'taken',
  },
  {
    name: 'a block of fields of one name',
    size: 3_000,
    at: (n) => decoding(Buffer.concat([postHead('/'), ...many(n, () => literal('cookie', 'a=b'))])),
    ends: 'taken',
  },
  {
    name: 'a head of fields of many names',
    size: 2_000,
    at: (n) => {
      const fields = [
        ...[':method', ':scheme', ':path'].map((name) => ({ name, value: '/' })),
        ...many(n, (i) => ({ name: `name-${i}`, value: ' '.repeat(20) + 'x' })),
      ]
      return () => requestHead(fields, false)
    },
    ends: 'taken',
  },
  {
    name: 'a head with a long value of blanks',
    size: 30_000,
    at: (n) => {
      const fields = [{ name: 'a', value: `x${' \t'.repeat(n)}x` }]
      return () => requestHead(fields, false)
    },
    ends: 'taken',
  },
  {
    name: 'frames that are cut between any two octets',
    size: 12_000,
    at: (n) =>
      framesOf(Buffer.concat(many(n / 1_000, () => frame(frameTypes.data, 0, 1, thousand))), 1),
    ends: 'taken',
  },
  {
    name: 'frames of nothing',
    size: 10_000,
    at: (n) => framesOf(Buffer.concat(many(n, () => frame(frameTypes.data, 0, 1))), 16_384),
    ends: 'taken',
  },
  {
    name: 'a token of many dots',
    size: 1_000,
    at: (n) => token('.'.repeat(n)),
    ends: 'tokens.invalid',
  },
  {
    name: 'a token whose head is nested deep',
    size: 700,
    at: (n) => {
      const head = Buffer.from('{"alg":"RS256","typ":"JWT","kid":' + '['.repeat(n)).toString(
        'base64url',
      )
      return token(`${head}.e30.AA`)
    },
    ends: 'tokens.invalid',
  },
  {
    name: 'a traceparent that goes on and on',
    size: 20_000,
    at: (n) => {
      const header = `01-${'a'.repeat(32)}-${'b'.repeat(16)}-01${'-x'.repeat(n)}`
      return () => parseTraceparent(header)
    },
    ends: 'taken',
  },
  {
    name: 'a content type of many parameters',
    size: 20_000,
    at: (n) => {
      const contentType = ` ${'a'.repeat(n)} ${';b=c'.repeat(n)}`
      return () => namedForm({ contentType })
    },
    ends: 'taken',
  },
]
