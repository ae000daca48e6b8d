// The primitives in plain TypeScript: the oracle of the WebAssembly module, and its replacement where there is none.
import { createHash, createHmac, createSecretKey } from 'node:crypto'
import { unsafe } from '@noble/ciphers/aes.js'
import type { Primitives } from './types.ts'

export const plainPrimitives: Primitives = {
  macKey(hash, key) {
    const secret = createSecretKey(key)
    return { mac: (message) => createHmac(hash, secret).update(message).digest() }
  },
  walk(node, digits) {
    let reached = new Uint8Array(node)
    for (const digit of digits)
      reached = new Uint8Array(
        createHash('sha256')
          .update(reached)
          .update(Buffer.of(Number(digit)))
          .digest(),
      )
    return reached
  },
  expandAes: (key) => unsafe.expandKeyLE(key),
}
