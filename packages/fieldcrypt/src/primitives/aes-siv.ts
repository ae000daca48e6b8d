// AES-SIV (RFC 5297) in plain TypeScript, on data in a workspace (workspace.ts). Keys have 256, 384 or 512 bits; Weir
// uses 512. AES itself comes from @noble/ciphers.
import { unsafe } from '@noble/ciphers/aes.js'
import type { Workspace } from './types.ts'
import { DATA_AT, SIV_AT, workspaceBytes } from './workspace.ts'

const { encrypt } = unsafe

/** 16 bytes as four little-endian words. */
type Block = { s0: number; s1: number; s2: number; s3: number }

export type SivKey = {
  readonly macSchedule: Uint32Array
  readonly ctrSchedule: Uint32Array
  /** CMAC's subkeys: the first for a complete last block, the second for a padded one. */
  readonly k1: Block
  readonly k2: Block
  /** The CMAC of the zero block, the start value of S2V. */
  readonly zeroMac: Block
}

/** The state of S2V after the associated data, before the plaintext. */
export type AdState = {
  readonly d: Block
  /** dbl(d) ^ k1, which is XORed with a plaintext shorter than a block, after padding. */
  readonly short: Block
}

// --- blocks ---

const swap = (word: number): number =>
  (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)

export function blockOf({ s0, s1, s2, s3 }: Block): Buffer {
  const block = Buffer.alloc(16)
  for (const [i, word] of [s0, s1, s2, s3].entries()) block.writeInt32LE(word | 0, i * 4)
  return block
}

const xor = (a: Block, b: Block): Block => ({
  s0: a.s0 ^ b.s0,
  s1: a.s1 ^ b.s1,
  s2: a.s2 ^ b.s2,
  s3: a.s3 ^ b.s3,
})

/** Doubles in GF(2^128) (RFC 5297 2.3), without branches. */
function dbl(block: Block): Block {
  const [a, b, c, d] = [swap(block.s0), swap(block.s1), swap(block.s2), swap(block.s3)]
  return {
    s0: swap((a << 1) | (b >>> 31)),
    s1: swap((b << 1) | (c >>> 31)),
    s2: swap((c << 1) | (d >>> 31)),
    s3: swap((d << 1) ^ ((a >> 31) & 0x87)),
  }
}

function xorInto(view: DataView, at: number, block: Block): void {
  view.setInt32(at, view.getInt32(at, true) ^ block.s0, true)
  view.setInt32(at + 4, view.getInt32(at + 4, true) ^ block.s1, true)
  view.setInt32(at + 8, view.getInt32(at + 8, true) ^ block.s2, true)
  view.setInt32(at + 12, view.getInt32(at + 12, true) ^ block.s3, true)
}

/** Writes the padding 10* after the data, in a further block if their last block is complete. */
function pad(workspace: Workspace, end: number): void {
  workspace.bytes[end] = 0x80
  // For these few bytes, a loop is faster than Buffer.fill.
  for (let at = end + 1; (at & 15) !== 0; at++) workspace.bytes[at] = 0
}

function wipeBlock(block: Block): void {
  block.s0 = block.s1 = block.s2 = block.s3 = 0
}

// --- keys ---

export function expandSivKey(key: Uint8Array): SivKey {
  const half = key.length / 2
  const macSchedule = unsafe.expandKeyLE(key.subarray(0, half))
  const k1 = dbl(encrypt(macSchedule, 0, 0, 0, 0))
  return {
    macSchedule,
    ctrSchedule: unsafe.expandKeyLE(key.subarray(half)),
    k1,
    k2: dbl(k1),
    zeroMac: encrypt(macSchedule, k1.s0, k1.s1, k1.s2, k1.s3),
  }
}

export function wipeSivKey(key: SivKey): void {
  key.macSchedule.fill(0)
  key.ctrSchedule.fill(0)
  for (const block of [key.k1, key.k2, key.zeroMac]) wipeBlock(block)
}

// --- S2V ---

/** Returns the CMAC (RFC 4493) of the workspace's data. Pads data whose last block is incomplete. */
function cmac(key: SivKey, workspace: Workspace, length: number): Block {
  const { view } = workspace
  const schedule = key.macSchedule
  const whole = length > 0 && length % 16 === 0
  if (!whole) pad(workspace, DATA_AT + length)
  const last = DATA_AT + (whole ? length - 16 : length - (length % 16))
  let mac: Block = { s0: 0, s1: 0, s2: 0, s3: 0 }
  for (let at = DATA_AT; at <= last; at += 16) {
    if (at === last) mac = xor(mac, whole ? key.k1 : key.k2)
    mac = encrypt(
      schedule,
      mac.s0 ^ view.getInt32(at, true),
      mac.s1 ^ view.getInt32(at + 4, true),
      mac.s2 ^ view.getInt32(at + 8, true),
      mac.s3 ^ view.getInt32(at + 12, true),
    )
  }
  return mac
}

export function adStateOf(key: SivKey, strings: readonly Uint8Array[]): AdState {
  let d = key.zeroMac
  for (const ad of strings) {
    const bytes = Buffer.alloc(workspaceBytes(ad.length))
    bytes.set(ad, DATA_AT)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    d = xor(dbl(d), cmac(key, { bytes, view }, ad.length))
  }
  return { d: { ...d }, short: xor(dbl(d), key.k1) }
}

/** Returns S2V of the associated data and the workspace's plaintext. Leaves the plaintext unchanged. */
function syntheticIv(key: SivKey, ad: AdState, workspace: Workspace, length: number): Block {
  const { view } = workspace
  if (length < 16) {
    pad(workspace, DATA_AT + length)
    return encrypt(
      key.macSchedule,
      ad.short.s0 ^ view.getInt32(DATA_AT, true),
      ad.short.s1 ^ view.getInt32(DATA_AT + 4, true),
      ad.short.s2 ^ view.getInt32(DATA_AT + 8, true),
      ad.short.s3 ^ view.getInt32(DATA_AT + 12, true),
    )
  }
  const lastBlock = DATA_AT + length - 16
  xorInto(view, lastBlock, ad.d)
  const iv = cmac(key, workspace, length)
  xorInto(view, lastBlock, ad.d)
  return iv
}

// --- CTR ---

/**
 * Encrypts or decrypts the data in place. RFC 5297 2.6 clears two bits of the counter, so its last word can count 2^31
 * blocks without a carry.
 */
function applyCtr(key: SivKey, iv: Block, workspace: Workspace, length: number): void {
  const { view } = workspace
  const s2 = iv.s2 & ~0x80
  const counter = swap(iv.s3) & 0x7fffffff
  const blocks = (length + 15) >>> 4
  for (let i = 0; i < blocks; i++) {
    const keyStream = encrypt(key.ctrSchedule, iv.s0, iv.s1, s2, swap(counter + i))
    xorInto(view, DATA_AT + i * 16, keyStream)
  }
}

// --- encryption and decryption ---

/** Encrypts the workspace's plaintext in place, and writes the synthetic IV before it. */
export function sealInPlace(key: SivKey, ad: AdState, workspace: Workspace, length: number): void {
  const iv = syntheticIv(key, ad, workspace, length)
  const { view } = workspace
  view.setInt32(SIV_AT, iv.s0, true)
  view.setInt32(SIV_AT + 4, iv.s1, true)
  view.setInt32(SIV_AT + 8, iv.s2, true)
  view.setInt32(SIV_AT + 12, iv.s3, true)
  applyCtr(key, iv, workspace, length)
}

/**
 * Decrypts the workspace's ciphertext in place. If it isn't authentic, overwrites the decrypted bytes and returns
 * false.
 */
export function openInPlace(
  key: SivKey,
  ad: AdState,
  workspace: Workspace,
  length: number,
): boolean {
  const { view } = workspace
  const claimed = {
    s0: view.getInt32(SIV_AT, true),
    s1: view.getInt32(SIV_AT + 4, true),
    s2: view.getInt32(SIV_AT + 8, true),
    s3: view.getInt32(SIV_AT + 12, true),
  }
  applyCtr(key, claimed, workspace, length)
  const difference = xor(claimed, syntheticIv(key, ad, workspace, length))
  // Compares all bits together, so that the time doesn't reveal how many are equal.
  const authentic = (difference.s0 | difference.s1 | difference.s2 | difference.s3) === 0
  if (!authentic) workspace.bytes.fill(0, DATA_AT, DATA_AT + length)
  return authentic
}
