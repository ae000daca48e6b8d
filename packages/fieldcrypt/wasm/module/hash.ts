// SHA-256 and SHA-512 (FIPS 180-4), HMAC (RFC 2104), and the walk down the tree (docs/keys.md, Derivation). No branch
// and no look-up depends on a secret.
import { IO, KEY, OUT, STATE, W } from './memory'
import { INITIAL256, INITIAL512, K256, K512 } from './tables'

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

/**
 * Pads the message at IO, and compresses it into STATE. The length in the padding includes one block that STATE
 * contains already.
 */
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

/** Computes the states of an HMAC-SHA-256 key from the 32 bytes at IO, and writes them to KEY. */
export function key256(): void {
  for (let nth = 0; nth < 2; nth++) {
    const padding: u32 = nth === 0 ? 0x36363636 : 0x5c5c5c5c
    for (let i: usize = 0; i < 64; i += 4)
      store<u32>(W + i, (i < 32 ? bswap<u32>(load<u32>(IO + i)) : 0) ^ padding)
    memory.copy(KEY + 32 * nth, INITIAL256, 32)
    compress256(KEY + 32 * nth)
  }
}

/** Does the same for HMAC-SHA-512. */
export function key512(): void {
  for (let nth = 0; nth < 2; nth++) {
    const padding: u64 = nth === 0 ? 0x3636363636363636 : 0x5c5c5c5c5c5c5c5c
    for (let i: usize = 0; i < 128; i += 8)
      store<u64>(W + i, (i < 32 ? bswap<u64>(load<u64>(IO + i)) : 0) ^ padding)
    memory.copy(KEY + 64 * nth, INITIAL512, 64)
    compress512(KEY + 64 * nth)
  }
}

/** Writes the HMAC-SHA-256 of the message at IO to OUT: 32 bytes. The key's states are at KEY. */
export function mac256(length: i32): void {
  memory.copy(STATE, KEY, 32)
  absorb256(length)
  for (let i: usize = 0; i < 32; i += 4) store<u32>(IO + i, bswap<u32>(load<u32>(STATE + i)))
  memory.copy(STATE, KEY + 32, 32)
  absorb256(32)
  for (let i: usize = 0; i < 32; i += 4) store<u32>(OUT + i, bswap<u32>(load<u32>(STATE + i)))
}

/** Does the same with HMAC-SHA-512: 64 bytes. */
export function mac512(length: i32): void {
  memory.copy(STATE, KEY, 64)
  absorb512(length)
  for (let i: usize = 0; i < 64; i += 8) store<u64>(IO + i, bswap<u64>(load<u64>(STATE + i)))
  memory.copy(STATE, KEY + 64, 64)
  absorb512(64)
  for (let i: usize = 0; i < 64; i += 8) store<u64>(OUT + i, bswap<u64>(load<u64>(STATE + i)))
}

// --- the tree ---

/**
 * Walks down the tree from the node at IO, along the `count` digits after it, one byte each. Writes the reached node to
 * OUT.
 */
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
