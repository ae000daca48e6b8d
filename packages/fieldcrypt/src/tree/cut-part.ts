// Removes subtrees from one key record of a tree. Decodes only the entries that change, because a record may have more
// than a thousand.
import { walk } from '../primitives/primitives.ts'
import { DIGITS } from './digits.ts'
import { encodeTree, entriesOn, entryAt, entryBytes } from './tree-bytes.ts'
import type { OpenPart } from './tree-bytes.ts'

export type PartCutting = {
  /** Returns false if the subtree at the prefix was removed before. */
  remove(prefix: string): boolean
  /** Returns the size of the changed record. */
  bytes(): number
  /** Returns the changed record. */
  encode(): Buffer
}

export function cutPart({ bytes: ofCache, offsets }: OpenPart): PartCutting {
  // A copy, because the cache overwrites the bytes of records that leave it.
  const bytes = Buffer.from(ofCache)
  /** What replaces an entry of the record, by the entry's index. */
  const replaced = new Map<number, Map<string, Uint8Array>>()
  let size = bytes.length
  return {
    remove(prefix) {
      let isRemoved = false
      const { from, to } = entriesOn({ bytes, offsets }, prefix)
      for (let index = from; index < to; index++) {
        const entries = replaced.get(index) ?? new Map([entryAt(bytes, offsets[index] ?? 0)])
        const growth = removeSubtree(entries, prefix)
        if (growth === undefined) continue
        replaced.set(index, entries)
        size += growth
        isRemoved = true
      }
      return isRemoved
    },
    bytes: () => size,
    encode() {
      const pieces: Buffer[] = []
      let from = 0
      for (const [index, entries] of [...replaced].sort(([a], [b]) => a - b)) {
        pieces.push(bytes.subarray(from, offsets[index]), encodeTree(entries))
        from = offsets[index + 1] ?? bytes.length
      }
      return Buffer.concat([...pieces, bytes.subarray(from)])
    },
  }
}

/** Removes the subtree from `entries`. Returns their growth in bytes; undefined if it was removed before. */
function removeSubtree(entries: Map<string, Uint8Array>, prefix: string): number | undefined {
  for (let digits = 0; digits < prefix.length; digits++) {
    const held = prefix.slice(0, digits)
    const node = entries.get(held)
    if (node !== undefined) {
      entries.delete(held)
      return addSiblings(entries, node, { prefix, fromDigit: digits }) - entryBytes(digits)
    }
  }
  let growth: number | undefined
  for (const stored of entries.keys()) {
    if (!stored.startsWith(prefix)) continue
    entries.delete(stored)
    growth = (growth ?? 0) - entryBytes(stored.length)
  }
  return growth
}

/** Stores the siblings along the path from the removed ancestor to `prefix`. Returns their size in bytes. */
function addSiblings(
  entries: Map<string, Uint8Array>,
  ancestor: Uint8Array,
  { prefix, fromDigit }: { readonly prefix: string; readonly fromDigit: number },
): number {
  let [node, bytes] = [ancestor, 0]
  for (let i = fromDigit; i < prefix.length; i++) {
    const digit = prefix.charAt(i)
    for (const other of DIGITS) {
      if (other === digit) continue
      entries.set(prefix.slice(0, i) + other, walk(node, other))
      bytes += entryBytes(i + 1)
    }
    node = walk(node, digit)
  }
  return bytes
}
