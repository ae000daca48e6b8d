// AssemblyScript, compiled by ../build.ts: the hashing for the keys of a new person, and the encryption of fields.
import { mac512, walk } from './hash'
import { IO, OUT } from './memory'
import { addCipher } from './siv'

export { encryptBlock } from './aes'
export { key256, key512, mac256, mac512, walk } from './hash'
export { IO, KEY, OUT, wipe } from './memory'
export { addCipher, CIPHER_BYTES, open, seal, wipeCipher } from './siv'

/**
 * Computes a level's key, and writes its cipher to `cipher`. IO contains a node and at most 64 digits below it; IO + 96
 * contains what follows the leaf in the HMAC message; KEY contains the HMAC's states.
 */
export function levelCipher(cipher: usize, count: i32, tail: i32): void {
  levelKey(count, tail)
  memory.copy(IO, OUT, 64)
  addCipher(cipher)
}

/** Computes the same key, and writes its 64 bytes to OUT. */
export function levelKey(count: i32, tail: i32): void {
  walk(count)
  memory.copy(IO + 32, IO + 96, tail)
  memory.copy(IO, OUT, 32)
  mac512(32 + tail)
}
