// AES-SIV gives the results of published vectors, for all their key sizes.
import { describe, expect, test } from '@jest/globals'
import { adStateOf, expandSivKey, openInPlace, sealInPlace } from '../src/primitives/aes-siv.ts'
import { plainPrimitives } from '../src/primitives/plain.ts'
import { newInstance, wasmPrimitives } from '../src/primitives/wasm.ts'
import { DATA_AT, SIV_AT } from '../src/primitives/workspace.ts'
import { openBytes, sealBytes } from './support/siv.ts'
import { hex, rfc5297, workspaceOf, wycheproof } from './support/vectors.ts'

const instance = newInstance()
if (instance === undefined) throw new Error('this Node has no WebAssembly')
const { siv } = wasmPrimitives(instance)

/** Encrypts in plain TypeScript, with any number of strings of associated data. */
function seal(keyHex: string, ads: string[], plaintextHex: string): string {
  const key = expandSivKey(hex(keyHex))
  const ad = adStateOf(key, ads.map(hex))
  const plaintext = hex(plaintextHex)
  const workspace = workspaceOf(plaintext.length)
  workspace.bytes.set(plaintext, DATA_AT)
  sealInPlace(key, ad, workspace, plaintext.length)
  return workspace.bytes.toString('hex', SIV_AT, DATA_AT + plaintext.length)
}

function open(keyHex: string, ads: string[], sealedHex: string): string | undefined {
  const key = expandSivKey(hex(keyHex))
  const ad = adStateOf(key, ads.map(hex))
  const sealed = hex(sealedHex)
  const length = sealed.length - 16
  const workspace = workspaceOf(length)
  workspace.bytes.set(sealed, SIV_AT)
  const authentic = openInPlace(key, ad, workspace, length)
  return authentic ? workspace.bytes.toString('hex', DATA_AT, DATA_AT + length) : undefined
}

test.each(rfc5297.examples)('RFC 5297 $name comes out byte for byte', (example) => {
  expect(seal(example.key, example.ad, example.plaintext)).toBe(example.output)
  expect(open(example.key, example.ad, example.output)).toBe(example.plaintext)
})

describe.each(wycheproof.testGroups)('with keys of $keySize bits', ({ tests }) => {
  test('what Wycheproof calls valid comes out byte for byte and opens', () => {
    const valid = tests.filter(({ result }) => result === 'valid')
    expect(valid.length).toBeGreaterThan(20)
    for (const { key, aad, msg, ct } of valid) {
      expect(seal(key, [aad], msg)).toBe(ct)
      expect(open(key, [aad], ct)).toBe(msg)
    }
  })

  test('what Wycheproof calls invalid does not open', () => {
    const invalid = tests.filter(({ result }) => result === 'invalid')
    expect(invalid.length).toBeGreaterThan(20)
    for (const { key, aad, ct } of invalid) expect(open(key, [aad], ct)).toBeUndefined()
  })
})

test("all 442 of Wycheproof's cases are there", () => {
  const results = wycheproof.testGroups.flatMap(({ tests }) => tests.map(({ result }) => result))
  expect(results).toHaveLength(wycheproof.numberOfTests)
  expect(new Set(results)).toEqual(new Set(['valid', 'invalid']))
})

describe.each([
  ['WebAssembly', siv],
  ['plain TypeScript', plainPrimitives.siv],
])('with keys of 64 bytes, in %s', (_name, own) => {
  const { tests } = wycheproof.testGroups.find(({ keySize }) => keySize === 512) ?? { tests: [] }

  test("Wycheproof's valid cases come out byte for byte and open", () => {
    const valid = tests.filter(({ result }) => result === 'valid')
    expect(valid.length).toBeGreaterThan(20)
    for (const { key, aad, msg, ct } of valid) {
      expect(sealBytes(own, hex(key), hex(aad), hex(msg)).toString('hex')).toBe(ct)
      expect(openBytes(own, hex(key), hex(aad), hex(ct))?.toString('hex')).toBe(msg)
    }
  })

  test('its invalid cases do not open', () => {
    const invalid = tests.filter(({ result }) => result === 'invalid')
    expect(invalid.length).toBeGreaterThan(20)
    for (const { key, aad, ct } of invalid)
      expect(openBytes(own, hex(key), hex(aad), hex(ct))).toBeUndefined()
  })

  test('a plaintext that did not authenticate is not left in memory', () => {
    const cipher = own.add(Buffer.alloc(64, 7))
    const { bytes } = own.workspaceFor(20)
    bytes.write('secret secret secret', DATA_AT)
    own.seal(cipher, { length: 20, adLength: 0 })
    bytes.writeUInt8((bytes[SIV_AT] ?? 0) ^ 1, SIV_AT)
    expect(own.open(cipher, { length: 20, adLength: 0 })).toBe(false)
    expect(bytes.subarray(DATA_AT, DATA_AT + 20)).toEqual(Buffer.alloc(20))
  })
})
