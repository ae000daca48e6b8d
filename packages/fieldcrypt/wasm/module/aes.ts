// AES-256 (FIPS 197). Not constant-time: its table look-ups depend on secrets.
import { IO, W } from './memory'
import { SBOX } from './tables'

/** The tables of the rounds: for each byte, its S-box value after MixColumns, in four rotations. */
const T = memory.data(4_096)
for (let i: u32 = 0; i < 256; i++) {
  const s: u32 = load<u8>(SBOX + i)
  const twice = ((s << 1) ^ ((s >>> 7) * 0x11b)) & 0xff
  const column = twice | (s << 8) | (s << 16) | ((twice ^ s) << 24)
  for (let n: u32 = 0; n < 4; n++) store<u32>(T + 1_024 * n + 4 * i, rotl<u32>(column, 8 * n))
}

function substituted(a: u32, b: u32, c: u32, d: u32): u32 {
  return (
    <u32>load<u8>(SBOX + (a & 255)) |
    ((<u32>load<u8>(SBOX + ((b >>> 8) & 255))) << 8) |
    ((<u32>load<u8>(SBOX + ((c >>> 16) & 255))) << 16) |
    ((<u32>load<u8>(SBOX + (d >>> 24))) << 24)
  )
}

/** Expands the 32 bytes at `key` into 60 little-endian words at `schedule`. */
export function expand(key: usize, schedule: usize): void {
  memory.copy(schedule, key, 32)
  let constant: u32 = 1
  for (let i = 8; i < 60; i++) {
    const at = schedule + 4 * i
    let word = load<u32>(at - 4)
    if (i % 8 === 0) {
      word = rotr<u32>(word, 8)
      word = substituted(word, word, word, word) ^ constant
      constant <<= 1
    } else if (i % 8 === 4) word = substituted(word, word, word, word)
    store<u32>(at, load<u32>(at - 32) ^ word)
  }
}

function mixed(a: u32, b: u32, c: u32, d: u32): u32 {
  return (
    load<u32>(T + ((a & 255) << 2)) ^
    load<u32>(T + (((b >>> 8) & 255) << 2), 1_024) ^
    load<u32>(T + (((c >>> 16) & 255) << 2), 2_048) ^
    load<u32>(T + ((d >>> 24) << 2), 3_072)
  )
}

/** Encrypts the block in place. */
export function encrypt(schedule: usize, block: usize): void {
  let a = load<u32>(block, 0) ^ load<u32>(schedule, 0)
  let b = load<u32>(block, 4) ^ load<u32>(schedule, 4)
  let c = load<u32>(block, 8) ^ load<u32>(schedule, 8)
  let d = load<u32>(block, 12) ^ load<u32>(schedule, 12)
  for (let round = schedule + 16; round < schedule + 224; round += 16) {
    const e = mixed(a, b, c, d) ^ load<u32>(round, 0)
    const f = mixed(b, c, d, a) ^ load<u32>(round, 4)
    const g = mixed(c, d, a, b) ^ load<u32>(round, 8)
    d = mixed(d, a, b, c) ^ load<u32>(round, 12)
    a = e
    b = f
    c = g
  }
  store<u32>(block, substituted(a, b, c, d) ^ load<u32>(schedule, 224), 0)
  store<u32>(block, substituted(b, c, d, a) ^ load<u32>(schedule, 228), 4)
  store<u32>(block, substituted(c, d, a, b) ^ load<u32>(schedule, 232), 8)
  store<u32>(block, substituted(d, a, b, c) ^ load<u32>(schedule, 236), 12)
}

/** Encrypts the block at IO + 32 in place, with the key at IO. */
export function encryptBlock(): void {
  expand(IO, W)
  encrypt(W, IO + 32)
}
