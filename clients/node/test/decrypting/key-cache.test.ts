import { expect, test } from '@jest/globals'
import { createKeyCache } from '../../src/decrypting/key-cache.ts'

test('keys and reasons are gone when they are too old', () => {
  let nowMs = 0
  const cache = createKeyCache(() => nowMs)
  const key = Buffer.alloc(64, 7)
  cache.put('anna', [key], 300)
  cache.put('bert', 'erased', 300)
  nowMs = 299
  expect([cache.get('anna'), cache.get('bert')]).toEqual([[key], 'erased'])
  nowMs = 300
  expect([cache.get('anna'), cache.get('bert')]).toEqual([undefined, undefined])
})
