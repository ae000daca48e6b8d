// AssemblyScript, compiled by ../build.ts: the hashing that a new person costs, and the encryption of fields.
import { mac512, walk } from './hash'
import { IO, OUT } from './memory'
import { addCipher } from './siv'

export { encryptBlock } from './aes'
export { key256, key512, mac256, mac512, walk } from './hash'
export { IO, KEY, OUT, wipe } from './memory'
export { addCipher, CIPHER_BYTES, open, seal, wipeCipher } from './siv'

/**
 * Turns a node into the cipher of a level. At IO are the node, at most 64 digits below it, and from IO + 96 what follows
 * the leaf in the message of the HMAC, whose states are at KEY.
 */
export function levelCipher(cipher: usize, count: i32, tail: i32): void {
  levelKey(count, tail)
  memory.copy(IO, OUT, 64)
  addCipher(cipher)
}

/** The 64 bytes of the same key, at OUT. */
export function levelKey(count: i32, tail: i32): void {
  walk(count)
  memory.copy(IO + 32, IO + 96, tail)
  memory.copy(IO, OUT, 32)
  mac512(32 + tail)
}
