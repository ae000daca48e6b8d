// A tree as stored in a key record. Reading is strict, because a malformed record must never look like a record after
// an erasure. No prefix is the beginning of another, so each path has at most one stored prefix.
//
//   tree   = *entry              ; by ascending prefix
//   entry  = digits-count digits node
//   digits-count = OCTET         ; 0 to 36
//   digits = *OCTET              ; four to an octet, the rest of the last one 0
//   node   = 32OCTET
import { PATH_DIGITS } from '../derivation.ts'
import { recordUnreadable } from '../errors.ts'
import { DIGITS, DIGITS_PER_BYTE, digitsOf, NODE_BYTES, packDigits, packedBytes } from './digits.ts'

/** Nodes by prefix, in digits of base 4. */
export type TreeEntries = ReadonlyMap<string, Uint8Array>

/**
 * A larger key record is split into four. The nodes below one link take at most 11 kB, so no record is split below a
 * link, and one record shows whether a person is in the tree.
 */
export const TREE_PART_BYTES_MAX = 65_536

/** A key record's plaintext, and the offset of each entry. */
export type OpenPart = { readonly bytes: Buffer; readonly offsets: Uint32Array }

/** Returns the size of an entry with a prefix of this many digits. */
export const entryBytes = (digits: number): number => 1 + packedBytes(digits) + NODE_BYTES

export function encodeTree(entries: TreeEntries): Buffer {
  const prefixes = [...entries.keys()].sort()
  const bytes = Buffer.alloc(prefixes.reduce((sum, { length }) => sum + entryBytes(length), 0))
  let at = 0
  for (const prefix of prefixes) {
    bytes[at] = prefix.length
    bytes.set(packDigits(prefix), at + 1)
    const next = at + entryBytes(prefix.length)
    const node = entries.get(prefix)
    if (node !== undefined) bytes.set(node, next - NODE_BYTES)
    at = next
  }
  return bytes
}

/**
 * Returns the offset of each entry. Throws `record_unreadable` if the bytes violate the rules above, or a prefix
 * doesn't begin with `suffix`.
 */
export function indexTree(bytes: Buffer, suffix: string): Uint32Array {
  const packedSuffix = packDigits(suffix)
  const offsets: number[] = []
  let previous: number | undefined
  for (let at = 0; at < bytes.length;) {
    const digits = bytes[at] ?? 0
    const end = at + entryBytes(digits)
    if (digits > PATH_DIGITS || end > bytes.length) throw malformed(suffix)
    if (((bytes[at + packedBytes(digits)] ?? 0) & unusedBits(digits)) !== 0) throw malformed(suffix)
    const isUnder =
      digits >= suffix.length && compareDigits(bytes, at + 1, packedSuffix, 0, suffix.length) === 0
    if (!isUnder || (previous !== undefined && !isBefore(bytes, previous, at)))
      throw malformed(suffix)
    offsets.push(at)
    previous = at
    at = end
  }
  return Uint32Array.from(offsets)
}

/** Returns the bits of the last packed byte that no digit uses, as a mask. */
const unusedBits = (digits: number): number => {
  const used = digits % DIGITS_PER_BYTE
  return used === 0 ? 0 : 0xff >> (2 * used)
}

const malformed = (suffix: string) => recordUnreadable(`tree key record '${suffix}'`)

/** Returns the prefix and the node of the entry at an offset. */
export function entryAt(bytes: Buffer, at: number): [prefix: string, node: Uint8Array] {
  const digits = bytes[at] ?? 0
  const packed = bytes.subarray(at + 1, at + 1 + packedBytes(digits))
  return [digitsOf(packed).slice(0, digits), nodeAt(bytes, at)]
}

/** Returns a copy, because a record's bytes may be overwritten when a newer record arrives. */
function nodeAt(bytes: Buffer, at: number): Uint8Array {
  const from = at + 1 + packedBytes(bytes[at] ?? 0)
  return new Uint8Array(bytes.subarray(from, from + NODE_BYTES))
}

/** Returns the entry whose prefix is the beginning of `path`, or undefined. */
export function findInTree(
  part: OpenPart,
  path: string,
): { digits: number; node: Uint8Array } | undefined {
  const { from, to } = entriesOn(part, path)
  const at = part.offsets[from] ?? 0
  const digits = part.bytes[at] ?? 0
  return from === to || digits > path.length ? undefined : { digits, node: nodeAt(part.bytes, at) }
}

/**
 * Returns which entries are on a path, as a range of `offsets`: the entry whose prefix is the beginning of `path`, or
 * all entries whose prefixes begin with `path`.
 */
export function entriesOn(
  { bytes, offsets }: OpenPart,
  path: string,
): { readonly from: number; readonly to: number } {
  const packed = packDigits(path)
  const order = (at = 0): number =>
    compareDigits(bytes, at + 1, packed, 0, Math.min(bytes[at] ?? 0, path.length))
  let from = 0
  for (let high = offsets.length; from < high;) {
    const middle = (from + high) >>> 1
    if (order(offsets[middle]) < 0) from = middle + 1
    else high = middle
  }
  let to = from
  while (to < offsets.length && order(offsets[to]) === 0) to += 1
  return { from, to }
}

/** Returns whether `one` is before `other`; false if one's prefix is the beginning of the other's. */
const isBefore = (bytes: Buffer, one: number, other: number): boolean => {
  const shared = Math.min(bytes[one] ?? 0, bytes[other] ?? 0)
  return compareDigits(bytes, one + 1, bytes, other + 1, shared) < 0
}

/** Compares packed digits, from byte `at` and byte `bAt` on. Returns 0 if they are equal. */
function compareDigits(a: Buffer, at: number, b: Buffer, bAt: number, digits: number): number {
  const whole = digits >>> 2
  for (let i = 0; i < whole; i++) {
    const difference = (a[at + i] ?? 0) - (b[bAt + i] ?? 0)
    if (difference !== 0) return difference
  }
  const left = digits % DIGITS_PER_BYTE
  if (left === 0) return 0
  const unused = 8 - 2 * left
  return ((a[at + whole] ?? 0) >>> unused) - ((b[bAt + whole] ?? 0) >>> unused)
}

/**
 * Returns the key records of a tree by suffix. A tree that is too large is split by its next digit, repeatedly if
 * necessary. The key records share the memory of `bytes`. Throws `record_unreadable` for bytes that are no tree, so
 * that no such record is ever written.
 */
export function splitTree(bytes: Buffer, suffix: string, bytesMax: number): Map<string, Buffer> {
  const offsets = indexTree(bytes, suffix)
  if (bytes.length <= bytesMax || offsets.length <= 1) return new Map([[suffix, bytes]])
  const parts = new Map<string, Buffer>()
  for (const next of DIGITS.map((digit) => suffix + digit)) {
    const { from, to } = entriesOn({ bytes, offsets }, next)
    const under = bytes.subarray(offsets[from] ?? bytes.length, offsets[to] ?? bytes.length)
    for (const [name, part] of splitTree(under, next, bytesMax)) parts.set(name, part)
  }
  return parts
}
