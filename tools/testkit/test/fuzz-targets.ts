// Fuzz targets for all code of the packages that reads untrusted input.
import { deepStrictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import { compileContract, consentLevelsOf, definitionText, prepareContract } from '@weir/contracts'
import type { Contract } from '@weir/contracts'
import { parseTraceparent } from '@weir/kit'
import { parsePattern, Untranslatable } from '../../../packages/contracts/src/pattern/parse.ts'
import { isCheap } from '../../../packages/contracts/src/pattern/cost.ts'
import { compileRe2 } from '../../../packages/contracts/src/pattern/re2.ts'
import { createFrameReader } from '../../../packages/http2/src/h2/frames/frame-reader.ts'
import { ConnectionError } from '../../../packages/http2/src/h2/frames/frames.ts'
import { requestHead } from '../../../packages/http2/src/h2/head/request-head.ts'
import {
  createHeaderDecoder,
  decodeHeaders,
  HeaderBlockError,
} from '../../../packages/http2/src/hpack/decoder.ts'
import { verifyIdToken, verifyRefreshToken } from '../../../packages/tokens/src/verify.ts'
import type { FuzzTarget } from '../src/fuzz/target.ts'

/** A contract with fields of every type. */
const everything = JSON.parse(
  readFileSync(new URL('../fuzz/everything.json', import.meta.url), 'utf8'),
) as object
const prepared = await prepareContract(everything, definitionText(everything))
if ('problems' in prepared) throw new Error(prepared.problems.join())
const contract: Contract = compileContract(prepared.prepared)

/** Encodes an event and decodes it again, which must give the same event. */
function throughAll(event: ReturnType<Contract['readJson']>): Buffer {
  const written = contract.encode(event)
  deepStrictEqual(contract.decode(written), event)
  JSON.stringify(contract.toPlain(event))
  contract.firstViolation(event)
  contract.keyOf(event)
  consentLevelsOf(event)
  contract.mapPii(event, (text) => `${text}!`)
  return written
}

/** Calls `read`, and ignores errors of these kinds. */
function refusing(
  kinds: readonly (abstract new (...given: never[]) => Error)[],
  read: () => unknown,
): void {
  try {
    read()
  } catch (error) {
    if (!kinds.some((kind) => error instanceof kind)) throw error
  }
}

const jsonWords = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  'null',
  'true',
  '-1',
  '1e308',
  '0.1',
  '\\u0000',
  '\\ud800',
  '9007199254740993',
]
const fieldWords = [
  '"svcMeta"',
  '"key"',
  '"consentLevels"',
  '"union"',
  '"map"',
  '"list"',
  '"nested"',
  '"bytes"',
  '"string"',
  '"int"',
  '"A"',
  '"B"',
  '"n"',
]

export const fuzzTargets: readonly FuzzTarget[] = [
  {
    name: 'avro',
    words: [
      '\x00',
      '\x01',
      '\x02',
      '\x80\x80\x80\x80\x10',
      '\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01',
      'key',
    ],
    run(octets) {
      const event = contract.decode(octets)
      // skimming accepts the same events, and writes the same octets
      const skimmed = contract.encode(contract.skimAvro(octets))
      deepStrictEqual(skimmed, throughAll(event))
    },
  },
  {
    name: 'json',
    words: [...jsonWords, ...fieldWords],
    run: (octets) => throughAll(contract.readJson(octets)),
  },
  {
    name: 'contract',
    words: [
      ...jsonWords,
      '"type"',
      '"record"',
      '"fields"',
      '"name"',
      '"array"',
      '"items"',
      '"map"',
      '"values"',
      '"enum"',
      '"symbols"',
      '"fixed"',
      '"size"',
      '"default"',
      '"namespace"',
      '"R"',
      '"svcMeta"',
      '"pii_fields"',
      '"key_field"',
      '"validations"',
    ],
    async run(octets) {
      const text = octets.toString('utf8')
      let input: unknown
      try {
        input = JSON.parse(text)
      } catch {
        return
      }
      // without validations, because proving a pattern takes a thread and a second; another target covers patterns
      const bare =
        typeof input === 'object' && input !== null ? { ...input, validations: [] } : input
      const result = await prepareContract(bare, definitionText(bare))
      if ('prepared' in result) compileContract(result.prepared).skimAvro(Buffer.alloc(64))
    },
  },
  {
    name: 'pattern',
    words: [
      '(',
      ')',
      '(?:',
      '(?=',
      '[',
      '[^',
      ']',
      '{2,3}',
      '{1}',
      '*',
      '+?',
      '|',
      '^',
      '$',
      '\\b',
      '\\d',
      '\\w',
      '\\u0041',
      '\\x41',
      '\\cA',
      '\\1',
      '.',
      '-',
      '\n',
    ],
    run(octets) {
      const [source = '', value = ''] = octets.toString('utf8').split('\n')
      refusing([Untranslatable, SyntaxError], () => {
        const pattern = new RegExp(source.slice(0, 64))
        const tree = parsePattern(pattern.source)
        const test = compileRe2(pattern.source)
        const short = value.slice(0, 16)
        // with other patterns V8 may backtrack forever
        if (isCheap(tree)) deepStrictEqual(test(short), pattern.test(short))
      })
    },
  },
  {
    name: 'hpack',
    words: [
      '\x82\x86\x84',
      '\x40',
      '\x00',
      '\x20',
      '\x3f\xe1\x1f',
      '\xff\x80\x80\x80\x01',
      'content-length',
      ':path',
    ],
    run(octets) {
      const decoder = createHeaderDecoder({
        tableBytesMax: 256,
        listBytesMax: 1_024,
        listFieldsMax: 20,
      })
      refusing([HeaderBlockError], () => {
        // two blocks on one connection, because the second may refer to the table entries of the first
        const half = octets.length >> 1
        for (const block of [octets.subarray(0, half), octets.subarray(half)]) {
          const { fields, isTooLarge } = decodeHeaders(decoder, block)
          const head = requestHead(fields, isTooLarge)
          head?.first('content-length')
        }
      })
    },
  },
  {
    name: 'frames',
    words: ['\x00\x00\x00', '\x00\x40\x00', '\x00\x40\x01', '\x00\x00\x09'],
    run(octets) {
      const cut = (pieceOctets: number): string[] => {
        const seen: string[] = []
        refusing([ConnectionError], () => {
          const read = createFrameReader(
            (...[type, flags, stream, payload]) =>
              void seen.push(`${type} ${flags} ${stream} ${payload.toString('hex')}`),
          )
          for (let at = 0; at < octets.length; at += pieceOctets)
            read(octets.subarray(at, at + pieceOctets))
        })
        return seen
      }
      deepStrictEqual(cut(3), cut(octets.length || 1))
    },
  },
  {
    name: 'token',
    words: ['.', 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImsifQ', 'e30', '=='],
    run(octets) {
      const options = { keyOf: () => undefined, issuer: 'http://auth.test', nowSeconds: 0 }
      const text = octets.toString('latin1')
      for (const verify of [verifyIdToken, verifyRefreshToken])
        refusing([Error], () => verify(text, options))
      parseTraceparent(text)
    },
  },
]
