// AES-SIV (RFC 5297) with keys of 64 bytes. The only associated data is the path of a field.
import { encrypt, expand } from './aes'
import { IO } from './memory'

/**
 * The size of a cipher, which the caller may keep anywhere in the memory. A cipher contains the schedules for CMAC and
 * CTR, CMAC's two subkeys, and the CMAC of the zero block.
 */
export const CIPHER_BYTES: i32 = 528
const CTR = 240
const K1 = 480
const K2 = 496
const ZERO_MAC = 512

/** D is the state of S2V, IV a synthetic IV, STREAM a block of the key stream. */
const D = memory.data(16)
const IV = memory.data(16)
const STREAM = memory.data(16)

function xorInto(block: usize, other: usize): void {
  store<u64>(block, load<u64>(block, 0) ^ load<u64>(other, 0), 0)
  store<u64>(block, load<u64>(block, 8) ^ load<u64>(other, 8), 8)
}

/** Doubles in GF(2^128) (RFC 5297 2.3). */
function double(block: usize, result: usize): void {
  const high = bswap<u64>(load<u64>(block, 0))
  const low = bswap<u64>(load<u64>(block, 8))
  store<u64>(result, bswap<u64>((high << 1) | (low >>> 63)), 0)
  store<u64>(result, bswap<u64>((low << 1) ^ ((<u64>0 - (high >>> 63)) & 0x87)), 8)
}

/** Expands the 64 bytes at IO to a cipher, and overwrites them. */
export function addCipher(cipher: usize): void {
  expand(IO, cipher)
  expand(IO + 32, cipher + CTR)
  memory.fill(IO, 0, 64)
  memory.fill(cipher + K2, 0, 16)
  encrypt(cipher, cipher + K2)
  double(cipher + K2, cipher + K1)
  double(cipher + K1, cipher + K2)
  memory.copy(cipher + ZERO_MAC, cipher + K1, 16)
  encrypt(cipher, cipher + ZERO_MAC)
}

export function wipeCipher(cipher: usize): void {
  memory.fill(cipher, 0, CIPHER_BYTES)
}

/** Writes the padding 10* after the data, in a further block if their last block is complete. */
function pad(end: usize): void {
  store<u8>(end, 0x80)
  memory.fill(end + 1, 0, ((end + 16) & ~15) - end - 1)
}

/** Writes the CMAC (RFC 4493) of the data to `mac`. Writes padding after data whose last block is incomplete. */
function cmac(cipher: usize, data: usize, length: i32, mac: usize): void {
  const isWhole = length > 0 && (length & 15) === 0
  if (!isWhole) pad(data + length)
  const last = data + (isWhole ? length - 16 : length & ~15)
  memory.fill(mac, 0, 16)
  for (let block = data; block <= last; block += 16) {
    xorInto(mac, block)
    if (block === last) xorInto(mac, cipher + (isWhole ? K1 : K2))
    encrypt(cipher, mac)
  }
}

/** Writes S2V of the path and the data to IV. Leaves the data unchanged. */
function s2v(cipher: usize, data: usize, length: i32, path: usize, pathLength: i32): void {
  cmac(cipher, path, pathLength, IV)
  double(cipher + ZERO_MAC, D)
  xorInto(D, IV)
  if (length >= 16) {
    const end = data + length - 16
    xorInto(end, D)
    cmac(cipher, data, length, IV)
    xorInto(end, D)
    return
  }
  pad(data + length)
  double(D, IV)
  xorInto(IV, data)
  xorInto(IV, cipher + K1)
  encrypt(cipher, IV)
}

/** Applies the key stream of the IV at `iv` to the data, in whole blocks. */
function applyCtr(cipher: usize, iv: usize, data: usize, length: i32): void {
  const counter = bswap<u32>(load<u32>(iv, 12)) & 0x7fffffff
  for (let i = 0; i < length; i += 16) {
    memory.copy(STREAM, iv, 16)
    store<u32>(STREAM, load<u32>(iv, 8) & ~0x80, 8)
    store<u32>(STREAM, bswap<u32>(counter + (i >>> 4)), 12)
    encrypt(cipher + CTR, STREAM)
    xorInto(data + i, STREAM)
  }
}

/** Encrypts the data in place, and writes the synthetic IV to the 16 bytes before them. */
export function seal(cipher: usize, data: usize, length: i32, path: usize, pathLength: i32): void {
  s2v(cipher, data, length, path, pathLength)
  memory.copy(data - 16, IV, 16)
  applyCtr(cipher, IV, data, length)
  memory.fill(IV, 0, 16)
  memory.fill(D, 0, 16)
  memory.fill(STREAM, 0, 16)
}

/** Decrypts the data in place. If they are not authentic, overwrites them and returns 0. */
export function open(cipher: usize, data: usize, length: i32, path: usize, pathLength: i32): i32 {
  applyCtr(cipher, data - 16, data, length)
  s2v(cipher, data, length, path, pathLength)
  xorInto(IV, data - 16)
  const isAuthentic = (load<u64>(IV, 0) | load<u64>(IV, 8)) === 0
  if (!isAuthentic) memory.fill(data, 0, length)
  memory.fill(D, 0, 16)
  memory.fill(IV, 0, 16)
  memory.fill(STREAM, 0, 16)
  return isAuthentic ? 1 : 0
}
