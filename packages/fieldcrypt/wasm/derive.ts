// AssemblyScript, compiled by build.ts: the hashing and the key expansion that a new person costs (docs/keys.md,
// Derivation). SHA-256 and SHA-512 are FIPS 180-4, HMAC is RFC 2104, the key expansion FIPS 197. The caller writes into
// IO and KEY, calls one function, reads OUT, and calls `wipe`. Without branches and without look-ups that depend on a
// secret, except the S-box.

const K256 = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])
const INITIAL256 = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])
const K512 = memory.data<u64>([
  0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
  0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
  0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
  0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
  0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
  0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
  0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
  0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
  0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
  0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
  0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
  0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
  0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
  0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
  0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
  0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
  0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
  0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
  0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
  0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
])
const INITIAL512 = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
])
const SBOX = memory.data<u8>([
  0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
  0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
  0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
  0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
  0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
  0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
  0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
  0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
  0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
  0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
  0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
  0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
  0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
  0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
  0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
  0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
])
/** The message schedule of the block in work. */
const W = memory.data(640)
const STATE = memory.data(64)

/** The longest message, with room for its padding. */
const IO_BYTES = 4_096
export const IO = memory.data(4_096)
/** The two states of an HMAC key: after the block of the inner padding, and of the outer. */
export const KEY = memory.data(128)
export const OUT = memory.data(240)

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

function substituted(word: u32): u32 {
  return (
    <u32>load<u8>(SBOX + (word & 255)) |
    ((<u32>load<u8>(SBOX + ((word >>> 8) & 255))) << 8) |
    ((<u32>load<u8>(SBOX + ((word >>> 16) & 255))) << 16) |
    ((<u32>load<u8>(SBOX + (word >>> 24))) << 24)
  )
}

/** Expands the 32 bytes at IO into 60 little-endian words at OUT. */
export function expand(): void {
  memory.copy(OUT, IO, 32)
  let constant: u32 = 1
  for (let i = 8; i < 60; i++) {
    const at = OUT + 4 * i
    let word = load<u32>(at - 4)
    if (i % 8 === 0) {
      word = substituted(rotr<u32>(word, 8)) ^ constant
      constant <<= 1
    } else if (i % 8 === 4) word = substituted(word)
    store<u32>(at, load<u32>(at - 32) ^ word)
  }
}

// --- afterwards ---

/** Overwrites everything that depends on a key, and the first `used` bytes of IO. */
export function wipe(used: i32): void {
  memory.fill(W, 0, 640)
  memory.fill(STATE, 0, 64)
  memory.fill(KEY, 0, 128)
  memory.fill(OUT, 0, 240)
  memory.fill(IO, 0, min(used, IO_BYTES))
}
