// The WebAssembly module gives what Node and @noble/ciphers give, keeps nothing of a key, and is compiled from its source.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { plainPrimitives } from '../src/primitives/plain.ts'
import { wasmBytes } from '../src/primitives/wasm-bytes.ts'
import { newInstance, wasmPrimitives } from '../src/primitives/wasm.ts'
import { compiledModule } from '../wasm/build.ts'

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

  test('for the schedule of any AES key', () => {
    fc.assert(
      fc.property(key, (secret) => {
        expect(wasm.expandAes(secret)).toEqual(plainPrimitives.expandAes(secret))
      }),
    )
  })
})

test('after each call the memory is as before, so nothing of a key or a node is left', () => {
  const fresh = newInstance()
  if (fresh === undefined) throw new Error('this Node has no WebAssembly')
  const memory = () => Buffer.from(fresh.memory.buffer).toString('base64')
  const before = memory()
  const { macKey, walk, expandAes } = wasmPrimitives(fresh)
  const node = randomBytes(32)
  walk(node, '0123'.repeat(9))
  expect(memory()).toBe(before)
  expandAes(node)
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

test('the committed module is compiled from derive.ts; npm run build:wasm compiles it again', async () => {
  const lines = (await compiledModule()).match(/[A-Za-z0-9+/=]{20,}/g) ?? []
  expect(lines.join('')).toBe(wasmBytes)
}, 60_000)
