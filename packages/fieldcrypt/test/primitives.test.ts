// The WebAssembly module gives the same results as Node and @noble/ciphers, keeps nothing of a key, and is compiled
// from its source.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { plainPrimitives } from '../src/primitives/plain.ts'
import { wasmBytes } from '../src/primitives/wasm-bytes.ts'
import { newInstance, wasmPrimitives } from '../src/primitives/wasm.ts'
import type { Siv } from '../src/primitives/types.ts'
import { DATA_AT, SIV_AT } from '../src/primitives/workspace.ts'
import { compiledModule } from '../wasm/build.ts'
import { openBytes, sealBytes } from './support/siv.ts'

const instance = newInstance()
if (instance === undefined) throw new Error('this Node has no WebAssembly')
const wasm = wasmPrimitives(instance)

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe('the same as in plain TypeScript', () => {
  test('for a node and digits of any path', () => {
    fc.assert(
      fc.property(key, fc.stringMatching(/^[0-3]{0,36}$/), (node, digits) => {
        expect(wasm.walk(node, digits)).toEqual(plainPrimitives.walk(node, digits))
      }),
    )
  })

  test.each(['sha256', 'sha512'] as const)('for HMAC with %s, of each length', (hash) => {
    const secret = randomBytes(32)
    const [one, other] = [wasm.macKey(hash, secret), plainPrimitives.macKey(hash, secret)]
    for (const length of [...Array(300).keys(), 3_899, 3_900, 3_901, 10_000]) {
      const message = randomBytes(length)
      expect(one.mac(message)).toEqual(other.mac(message))
    }
  })

  test('for the key and the cipher of a level', () => {
    const tail = fc.uint8Array({ maxLength: 46 })
    fc.assert(
      fc.property(
        key,
        key,
        fc.stringMatching(/^[0-3]{0,36}$/),
        tail,
        (secret, node, digits, after) => {
          const of = { node, digits, tail: after }
          const [one, other] = [wasm.levelKey(secret), plainPrimitives.levelKey(secret)]
          expect(one.sivKey(of)).toEqual(other.sivKey(of))
          const [cipher, same] = [one.cipher(of), other.cipher(of)]
          expect(sealedWith(wasm.siv, cipher, after)).toEqual(
            sealedWith(plainPrimitives.siv, same, after),
          )
          wasm.siv.wipe(cipher)
          plainPrimitives.siv.wipe(same)
        },
      ),
    )
  })

  test('for a block of AES', () => {
    const block = fc.uint8Array({ minLength: 16, maxLength: 16 })
    fc.assert(
      fc.property(key, block, (secret, text) => {
        expect(wasm.encryptor(secret)(text)).toEqual(plainPrimitives.encryptor(secret)(text))
      }),
    )
  })

  test('for data and associated data of any length', () => {
    const sivKey = randomBytes(64)
    const lengths = [...Array(70).keys(), 4_095, 4_096, 70_000, 1_000_000]
    for (const length of lengths) {
      const [data, ad] = [randomBytes(length), randomBytes(length % 40)]
      const sealed = sealBytes(wasm.siv, sivKey, ad, data)
      expect(sealed.equals(sealBytes(plainPrimitives.siv, sivKey, ad, data))).toBe(true)
      for (const { siv } of [wasm, plainPrimitives])
        expect(openBytes(siv, sivKey, ad, sealed)?.equals(data)).toBe(true)
    }
  })
})

const sealedWith = (siv: Siv, cipher: number, data: Uint8Array): Buffer => {
  const { bytes } = siv.workspaceFor(data.length)
  bytes.set(data, DATA_AT)
  siv.seal(cipher, { length: data.length, adLength: 0 })
  return Buffer.from(bytes.subarray(SIV_AT, DATA_AT + data.length))
}

test('after each call the memory is as before, so nothing of a key or a node is left', () => {
  const fresh = newInstance()
  if (fresh === undefined) throw new Error('this Node has no WebAssembly')
  const memory = () => Buffer.from(fresh.memory.buffer).toString('base64')
  const before = memory()
  const { macKey, walk, levelKey, encryptor } = wasmPrimitives(fresh)
  const node = randomBytes(32)
  walk(node, '0123'.repeat(9))
  expect(memory()).toBe(before)
  encryptor(node)(randomBytes(16))
  expect(memory()).toBe(before)
  levelKey(node).sivKey({ node, digits: '0123', tail: randomBytes(46) })
  expect(memory()).toBe(before)
  for (const hash of ['sha256', 'sha512'] as const) {
    const mac = macKey(hash, node)
    expect(memory()).toBe(before)
    for (const length of [0, 78, 111, 112, 500]) {
      mac.mac(randomBytes(length))
      expect(memory()).toBe(before)
    }
  }
})

test('a cipher changes nothing but its own place, which is empty again after it is wiped', () => {
  const fresh = newInstance()
  if (fresh === undefined) throw new Error('this Node has no WebAssembly')
  const { levelKey, siv } = wasmPrimitives(fresh)
  const key = levelKey(randomBytes(32))
  const of = { node: randomBytes(32), digits: '0123', tail: randomBytes(46) }
  siv.wipe(key.cipher(of))
  siv.workspaceFor(20)
  const memory = () => Buffer.from(new Uint8Array(fresh.memory.buffer))
  const before = memory()
  const cipher = key.cipher(of)
  expect(memory().equals(before)).toBe(false)
  const { bytes } = siv.workspaceFor(20)
  siv.seal(cipher, { length: 20, adLength: 0 })
  siv.open(cipher, { length: 20, adLength: 0 })
  bytes.fill(0)
  siv.wipe(cipher)
  expect(memory().equals(before)).toBe(true)
  expect(key.cipher(of)).toBe(cipher)
})

test('the committed module is compiled from its source; npm run build:wasm compiles it again', async () => {
  const lines = (await compiledModule()).match(/[A-Za-z0-9+/=]{20,}/g) ?? []
  expect(lines.join('')).toBe(wasmBytes)
}, 60_000)
