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

const entryBytes = (prefix: string): number => 1 + packedBytes(prefix.length) + NODE_BYTES

export function treeBytes(entries: TreeEntries): number {
  let bytes = 0
  for (const prefix of entries.keys()) bytes += entryBytes(prefix)
  return bytes
}

export function encodeTree(entries: TreeEntries): Buffer {
  const bytes = Buffer.alloc(treeBytes(entries))
  let at = 0
  for (const prefix of [...entries.keys()].sort()) {
    bytes[at] = prefix.length
    bytes.set(packDigits(prefix), at + 1)
    const next = at + entryBytes(prefix)
    const node = entries.get(prefix)
    if (node !== undefined) bytes.set(node, next - NODE_BYTES)
    at = next
  }
  return bytes
}

export function decodeTree(bytes: Buffer, suffix: string): Map<string, Uint8Array> {
  const entries = new Map<string, Uint8Array>()
  for (const at of indexTree(bytes, suffix)) entries.set(prefixAt(bytes, at), nodeAt(bytes, at))
  return entries
}

/**
 * Returns the offset of each entry. Throws `record_unreadable` if the bytes violate the rules above, or a prefix
 * doesn't begin with `suffix`.
 */
export function indexTree(bytes: Buffer, suffix: string): Uint32Array {
  const offsets: number[] = []
  let previous: string | undefined
  for (let at = 0; at < bytes.length;) {
    const digits = bytes[at] ?? 0
    const end = at + 1 + packedBytes(digits) + NODE_BYTES
    if (digits > PATH_DIGITS || end > bytes.length) throw malformed(suffix)
    if (((bytes[at + packedBytes(digits)] ?? 0) & unusedBits(digits)) !== 0) throw malformed(suffix)
    const prefix = prefixAt(bytes, at)
    const inOrder = previous === undefined || (prefix > previous && !prefix.startsWith(previous))
    if (!inOrder || !prefix.startsWith(suffix)) throw malformed(suffix)
    offsets.push(at)
    previous = prefix
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

function prefixAt(bytes: Buffer, at: number): string {
  const digits = bytes[at] ?? 0
  return digitsOf(bytes.subarray(at + 1, at + 1 + packedBytes(digits))).slice(0, digits)
}

/** Returns a copy, because a record's bytes may be overwritten when a newer record arrives. */
function nodeAt(bytes: Buffer, at: number): Uint8Array {
  const from = at + 1 + packedBytes(bytes[at] ?? 0)
  return new Uint8Array(bytes.subarray(from, from + NODE_BYTES))
}

/** Returns the entry whose prefix is the beginning of `path`, by a binary search, or undefined. */
export function findInTree(
  bytes: Buffer,
  offsets: Uint32Array,
  path: string,
): { digits: number; node: Uint8Array } | undefined {
  const packedPath = packDigits(path)
  for (let low = 0, high = offsets.length - 1; low <= high;) {
    const middle = (low + high) >>> 1
    const at = offsets[middle] ?? 0
    const order = compare(bytes, at, packedPath, path.length)
    if (order === 0) return { digits: bytes[at] ?? 0, node: nodeAt(bytes, at) }
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return undefined
}

/**
 * Returns 0 if the entry's prefix is the beginning of the path, a negative number if the entry is before the path, and
 * a positive one if it is after the path.
 */
function compare(bytes: Buffer, at: number, packedPath: Buffer, pathDigits: number): number {
  const digits = bytes[at] ?? 0
  const shared = Math.min(digits, pathDigits)
  const whole = shared >>> 2
  for (let i = 0; i < whole; i++) {
    const difference = (bytes[at + 1 + i] ?? 0) - (packedPath[i] ?? 0)
    if (difference !== 0) return difference
  }
  const left = shared % DIGITS_PER_BYTE
  if (left > 0) {
    const unused = 8 - 2 * left
    const difference =
      ((bytes[at + 1 + whole] ?? 0) >>> unused) - ((packedPath[whole] ?? 0) >>> unused)
    if (difference !== 0) return difference
  }
  return digits <= pathDigits ? 0 : 1
}

/**
 * Returns the key records of a tree by suffix. A tree that is too large is split by its next digit, repeatedly if
 * necessary.
 */
export function splitTree(
  entries: TreeEntries,
  suffix: string,
  bytesMax: number,
): Map<string, Buffer> {
  if (entries.size <= 1 || treeBytes(entries) <= bytesMax)
    return new Map([[suffix, encodeTree(entries)]])
  const byDigit = new Map(DIGITS.map((digit) => [digit, new Map<string, Uint8Array>()]))
  for (const [prefix, node] of entries) byDigit.get(prefix.charAt(suffix.length))?.set(prefix, node)
  const parts = new Map<string, Buffer>()
  for (const [digit, under] of byDigit)
    for (const [name, part] of splitTree(under, suffix + digit, bytesMax)) parts.set(name, part)
  return parts
}
