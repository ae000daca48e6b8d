// What `plain.ts` and `wasm.ts` both provide.
export type MacHash = 'sha256' | 'sha512'

/** HMAC under one key, which is prepared once. The key is in a closure, so that no log shows it. */
export type MacKey = { mac(message: Uint8Array): Buffer }

export type Primitives = {
  /** A key of 32 bytes. The caller must overwrite them after use. */
  macKey(hash: MacHash, key: Uint8Array): MacKey
  /** The node at the end of `digits` below `node`. Returns a new array, also if there are no digits. */
  walk(node: Uint8Array, digits: string): Uint8Array
  /** AES-256's key schedule in 60 little-endian words, as @noble/ciphers has it. */
  expandAes(key: Uint8Array): Uint32Array
}
