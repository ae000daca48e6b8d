// AssemblyScript, compiled by build.ts: the hashing that a new person costs, and the encryption of fields (docs/keys.md,
// Derivation). SHA-256 and SHA-512 are FIPS 180-4, HMAC is RFC 2104, AES is FIPS 197. The caller writes into
// IO and KEY, calls one function, reads OUT, and calls `wipe`. Without branches and without look-ups that depend on a
// secret, except AES's tables.

import { INITIAL256, INITIAL512, K256, K512, SBOX } from './tables'

/** The message schedule of the block in work. */
const W = memory.data(640)
const STATE = memory.data(64)

/** The longest message, with room for its padding. */
const IO_BYTES = 4_096
export const IO = memory.data(4_096)
/** The two states of an HMAC key: after the block of the inner padding, and of the outer. */
export const KEY = memory.data(128)
export const OUT = memory.data(64)

// --- SHA-256 ---

function sum0of256(x: u32): u32 {
  return rotr<u32>(x, 2) ^ rotr<u32>(x, 13) ^ rotr<u32>(x, 22)
}
function sum1of256(x: u32): u32 {
  return rotr<u32>(x, 6) ^ rotr<u32>(x, 11) ^ rotr<u32>(x, 25)
}
function choose<T>(x: T, y: T, z: T): T {
  return z ^ (x & (y ^ z))
}
function majority<T>(x: T, y: T, z: T): T {
  return (x & y) | (z & (x | y))
}

/** Compresses the first 16 words of W into the state. */
function compress256(state: usize): void {
  for (let at: usize = W + 64; at < W + 256; at += 4) {
    const x = load<u32>(at - 60)
    const y = load<u32>(at - 8)
    const s0 = rotr<u32>(x, 7) ^ rotr<u32>(x, 18) ^ (x >>> 3)
    const s1 = rotr<u32>(y, 17) ^ rotr<u32>(y, 19) ^ (y >>> 10)
    store<u32>(at, load<u32>(at - 64) + s0 + load<u32>(at - 28) + s1)
  }
  let a = load<u32>(state, 0)
  let b = load<u32>(state, 4)
  let c = load<u32>(state, 8)
  let d = load<u32>(state, 12)
  let e = load<u32>(state, 16)
  let f = load<u32>(state, 20)
  let g = load<u32>(state, 24)
  let h = load<u32>(state, 28)
  let t: u32
  for (let at: usize = 0; at < 256; at += 32) {
    t = h + sum1of256(e) + choose<u32>(e, f, g) + load<u32>(K256 + at, 0) + load<u32>(W + at, 0)
    d += t
    h = t + sum0of256(a) + majority<u32>(a, b, c)
    t = g + sum1of256(d) + choose<u32>(d, e, f) + load<u32>(K256 + at, 4) + load<u32>(W + at, 4)
    c += t
    g = t + sum0of256(h) + majority<u32>(h, a, b)
    t = f + sum1of256(c) + choose<u32>(c, d, e) + load<u32>(K256 + at, 8) + load<u32>(W + at, 8)
    b += t
    f = t + sum0of256(g) + majority<u32>(g, h, a)
    t = e + sum1of256(b) + choose<u32>(b, c, d) + load<u32>(K256 + at, 12) + load<u32>(W + at, 12)
    a += t
    e = t + sum0of256(f) + majority<u32>(f, g, h)
    t = d + sum1of256(a) + choose<u32>(a, b, c) + load<u32>(K256 + at, 16) + load<u32>(W + at, 16)
    h += t
    d = t + sum0of256(e) + majority<u32>(e, f, g)
    t = c + sum1of256(h) + choose<u32>(h, a, b) + load<u32>(K256 + at, 20) + load<u32>(W + at, 20)
    g += t
    c = t + sum0of256(d) + majority<u32>(d, e, f)
    t = b + sum1of256(g) + choose<u32>(g, h, a) + load<u32>(K256 + at, 24) + load<u32>(W + at, 24)
    f += t
    b = t + sum0of256(c) + majority<u32>(c, d, e)
    t = a + sum1of256(f) + choose<u32>(f, g, h) + load<u32>(K256 + at, 28) + load<u32>(W + at, 28)
    e += t
    a = t + sum0of256(b) + majority<u32>(b, c, d)
  }
  store<u32>(state, load<u32>(state, 0) + a, 0)
  store<u32>(state, load<u32>(state, 4) + b, 4)
  store<u32>(state, load<u32>(state, 8) + c, 8)
  store<u32>(state, load<u32>(state, 12) + d, 12)
  store<u32>(state, load<u32>(state, 16) + e, 16)
  store<u32>(state, load<u32>(state, 20) + f, 20)
  store<u32>(state, load<u32>(state, 24) + g, 24)
  store<u32>(state, load<u32>(state, 28) + h, 28)
}

// --- SHA-512 ---

function sum0of512(x: u64): u64 {
  return rotr<u64>(x, 28) ^ rotr<u64>(x, 34) ^ rotr<u64>(x, 39)
}
function sum1of512(x: u64): u64 {
  return rotr<u64>(x, 14) ^ rotr<u64>(x, 18) ^ rotr<u64>(x, 41)
}

/** Compresses the first 16 words of W into the state. */
function compress512(state: usize): void {
  for (let at: usize = W + 128; at < W + 640; at += 8) {
    const x = load<u64>(at - 120)
    const y = load<u64>(at - 16)
    const s0 = rotr<u64>(x, 1) ^ rotr<u64>(x, 8) ^ (x >>> 7)
    const s1 = rotr<u64>(y, 19) ^ rotr<u64>(y, 61) ^ (y >>> 6)
    store<u64>(at, load<u64>(at - 128) + s0 + load<u64>(at - 56) + s1)
  }
  let a = load<u64>(state, 0)
  let b = load<u64>(state, 8)
  let c = load<u64>(state, 16)
  let d = load<u64>(state, 24)
  let e = load<u64>(state, 32)
  let f = load<u64>(state, 40)
  let g = load<u64>(state, 48)
  let h = load<u64>(state, 56)
  let t: u64
  for (let at: usize = 0; at < 640; at += 64) {
    t = h + sum1of512(e) + choose<u64>(e, f, g) + load<u64>(K512 + at, 0) + load<u64>(W + at, 0)
    d += t
    h = t + sum0of512(a) + majority<u64>(a, b, c)
    t = g + sum1of512(d) + choose<u64>(d, e, f) + load<u64>(K512 + at, 8) + load<u64>(W + at, 8)
    c += t
    g = t + sum0of512(h) + majority<u64>(h, a, b)
    t = f + sum1of512(c) + choose<u64>(c, d, e) + load<u64>(K512 + at, 16) + load<u64>(W + at, 16)
    b += t
    f = t + sum0of512(g) + majority<u64>(g, h, a)
    t = e + sum1of512(b) + choose<u64>(b, c, d) + load<u64>(K512 + at, 24) + load<u64>(W + at, 24)
    a += t
    e = t + sum0of512(f) + majority<u64>(f, g, h)
    t = d + sum1of512(a) + choose<u64>(a, b, c) + load<u64>(K512 + at, 32) + load<u64>(W + at, 32)
    h += t
    d = t + sum0of512(e) + majority<u64>(e, f, g)
    t = c + sum1of512(h) + choose<u64>(h, a, b) + load<u64>(K512 + at, 40) + load<u64>(W + at, 40)
    g += t
    c = t + sum0of512(d) + majority<u64>(d, e, f)
    t = b + sum1of512(g) + choose<u64>(g, h, a) + load<u64>(K512 + at, 48) + load<u64>(W + at, 48)
    f += t
    b = t + sum0of512(c) + majority<u64>(c, d, e)
    t = a + sum1of512(f) + choose<u64>(f, g, h) + load<u64>(K512 + at, 56) + load<u64>(W + at, 56)
    e += t
    a = t + sum0of512(b) + majority<u64>(b, c, d)
  }
  store<u64>(state, load<u64>(state, 0) + a, 0)
  store<u64>(state, load<u64>(state, 8) + b, 8)
  store<u64>(state, load<u64>(state, 16) + c, 16)
  store<u64>(state, load<u64>(state, 24) + d, 24)
  store<u64>(state, load<u64>(state, 32) + e, 32)
  store<u64>(state, load<u64>(state, 40) + f, 40)
  store<u64>(state, load<u64>(state, 48) + g, 48)
  store<u64>(state, load<u64>(state, 56) + h, 56)
}

// --- HMAC ---

/** Compresses the message at IO, padded for a hash that has taken one block before. */
function absorb256(length: i32): void {
  store<u8>(IO + length, 0x80)
  const end = (length + 9 + 63) & ~63
  memory.fill(IO + length + 1, 0, end - length - 1)
  store<u32>(IO + end - 4, bswap<u32>((64 + length) << 3))
  for (let block = IO; block < IO + end; block += 64) {
    for (let i: usize = 0; i < 64; i += 4) store<u32>(W + i, bswap<u32>(load<u32>(block + i)))
    compress256(STATE)
  }
}

function absorb512(length: i32): void {
  store<u8>(IO + length, 0x80)
  const end = (length + 17 + 127) & ~127
  memory.fill(IO + length + 1, 0, end - length - 1)
  store<u64>(IO + end - 8, bswap<u64>((<u64>(128 + length)) << 3))
  for (let block = IO; block < IO + end; block += 128) {
    for (let i: usize = 0; i < 128; i += 8) store<u64>(W + i, bswap<u64>(load<u64>(block + i)))
    compress512(STATE)
  }
}

/** Turns the 32 bytes at IO into the states of an HMAC-SHA-256 key, at KEY. */
export function key256(): void {
  for (let nth = 0; nth < 2; nth++) {
    const padding: u32 = nth === 0 ? 0x36363636 : 0x5c5c5c5c
    for (let i: usize = 0; i < 64; i += 4)
      store<u32>(W + i, (i < 32 ? bswap<u32>(load<u32>(IO + i)) : 0) ^ padding)
    memory.copy(KEY + 32 * nth, INITIAL256, 32)
    compress256(KEY + 32 * nth)
  }
}

/** The same for HMAC-SHA-512. */
export function key512(): void {
  for (let nth = 0; nth < 2; nth++) {
    const padding: u64 = nth === 0 ? 0x3636363636363636 : 0x5c5c5c5c5c5c5c5c
    for (let i: usize = 0; i < 128; i += 8)
      store<u64>(W + i, (i < 32 ? bswap<u64>(load<u64>(IO + i)) : 0) ^ padding)
    memory.copy(KEY + 64 * nth, INITIAL512, 64)
    compress512(KEY + 64 * nth)
  }
}

/** HMAC-SHA-256 of the message at IO with the states at KEY: 32 bytes at OUT. */
export function mac256(length: i32): void {
  memory.copy(STATE, KEY, 32)
  absorb256(length)
  for (let i: usize = 0; i < 32; i += 4) store<u32>(IO + i, bswap<u32>(load<u32>(STATE + i)))
  memory.copy(STATE, KEY + 32, 32)
  absorb256(32)
  for (let i: usize = 0; i < 32; i += 4) store<u32>(OUT + i, bswap<u32>(load<u32>(STATE + i)))
}

/** HMAC-SHA-512 of the message at IO with the states at KEY: 64 bytes at OUT. */
export function mac512(length: i32): void {
  memory.copy(STATE, KEY, 64)
  absorb512(length)
  for (let i: usize = 0; i < 64; i += 8) store<u64>(IO + i, bswap<u64>(load<u64>(STATE + i)))
  memory.copy(STATE, KEY + 64, 64)
  absorb512(64)
  for (let i: usize = 0; i < 64; i += 8) store<u64>(OUT + i, bswap<u64>(load<u64>(STATE + i)))
}

// --- the tree ---

/** Walks from the node at IO down the `count` digits behind it, one byte each. The node reached is at OUT. */
export function walk(count: i32): void {
  for (let i: usize = 0; i < 32; i += 4) store<u32>(OUT + i, bswap<u32>(load<u32>(IO + i)))
  for (let nth = 0; nth < count; nth++) {
    memory.copy(W, OUT, 32)
    store<u32>(W, ((<u32>load<u8>(IO + 32 + nth)) << 24) | 0x800000, 32)
    memory.fill(W + 36, 0, 24)
    store<u32>(W, 33 << 3, 60)
    memory.copy(OUT, INITIAL256, 32)
    compress256(OUT)
  }
  for (let i: usize = 0; i < 32; i += 4) store<u32>(OUT + i, bswap<u32>(load<u32>(OUT + i)))
}

// --- AES-256 ---

/** The tables of the rounds: of each S-box value its column of MixColumns, in the four rotations. */
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
function expand(key: usize, schedule: usize): void {
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
function encrypt(schedule: usize, block: usize): void {
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

// --- AES-SIV (RFC 5297) with keys of 64 bytes ---

/**
 * A cipher is 528 bytes of the memory, wherever the caller keeps it: the schedules for CMAC and CTR, CMAC's two
 * subkeys, and the CMAC of the zero block.
 */
export const CIPHER_BYTES: i32 = 528
const CTR = 240
const K1 = 480
const K2 = 496
const ZERO_MAC = 512

/** The state of S2V, a synthetic IV, and a block of the key stream. */
const D = memory.data(16)
const IV = memory.data(16)
const STREAM = memory.data(16)

function xorInto(block: usize, other: usize): void {
  store<u64>(block, load<u64>(block, 0) ^ load<u64>(other, 0), 0)
  store<u64>(block, load<u64>(block, 8) ^ load<u64>(other, 8), 8)
}

/** Doubling in GF(2^128), RFC 5297 2.3. */
function double(block: usize, result: usize): void {
  const high = bswap<u64>(load<u64>(block, 0))
  const low = bswap<u64>(load<u64>(block, 8))
  store<u64>(result, bswap<u64>((high << 1) | (low >>> 63)), 0)
  store<u64>(result, bswap<u64>((low << 1) ^ ((<u64>0 - (high >>> 63)) & 0x87)), 8)
}

/** Turns the 64 bytes at IO into a cipher, and overwrites them. */
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

export function wipeCipher(cipher: usize): void {
  memory.fill(cipher, 0, CIPHER_BYTES)
}

/** Writes the padding 10* behind the data, to the end of its last block, or as a further block. */
function pad(end: usize): void {
  store<u8>(end, 0x80)
  memory.fill(end + 1, 0, ((end + 16) & ~15) - end - 1)
}

/** CMAC (RFC 4493) of data that begin at a block's border. Writes padding behind them. */
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

/** S2V of the path and the data, at IV. Leaves the data as they are. */
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

/** Encrypts the data in place. Their synthetic IV is written into the 16 bytes before them. */
export function seal(cipher: usize, data: usize, length: i32, path: usize, pathLength: i32): void {
  s2v(cipher, data, length, path, pathLength)
  memory.copy(data - 16, IV, 16)
  applyCtr(cipher, IV, data, length)
  memory.fill(IV, 0, 16)
  memory.fill(D, 0, 16)
  memory.fill(STREAM, 0, 16)
}

/** Decrypts the data in place. Returns 0 if they are not authentic, and overwrites them. */
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

// --- afterwards ---

/** Overwrites everything that depends on a key, and the first `used` bytes of IO. */
export function wipe(used: i32): void {
  memory.fill(W, 0, 640)
  memory.fill(STATE, 0, 64)
  memory.fill(KEY, 0, 128)
  memory.fill(OUT, 0, 64)
  memory.fill(IO, 0, min(used, IO_BYTES))
}
