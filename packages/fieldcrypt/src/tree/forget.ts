// Forgetting: taking subtrees out of a tree, and what sealing takes afterwards. Pure: the result says
// which records of the era change; writing them in one transaction is the caller's.
import type { KeyObject } from 'node:crypto'
import { levelDigits, linkDigits, linkOf } from '../derivation.ts'
import { keyUnavailable } from '../errors.ts'
import type { EraKeys } from '../era-keys.ts'
import { walk } from './node-hash.ts'
import { HEX_DIGITS, splitTree, TREE_PART_BYTES_MAX } from './tree-bytes.ts'
import { replaceTreeParts } from './tree.ts'
import type { Tree } from './tree.ts'

// More often than this nobody is forgotten within an era: a tree without a root must not be an
// endless loop.
const GENERATIONS_MAX = 65_536

export type Current = { readonly generation: number; readonly link: Uint8Array }

/** What sealing takes: the smallest generation whose link has a stored prefix. */
export function currentOf(
  tree: Tree,
  linkKey: KeyObject,
  keyFieldValue: string,
): Current | 'unknown' {
  for (let generation = 0; generation < GENERATIONS_MAX; generation++) {
    const link = linkOf(linkKey, keyFieldValue, generation)
    const stored = tree.find(linkDigits(link))
    if (stored === 'unknown') return 'unknown'
    if (stored !== 'erased') return { generation, link }
  }
  return 'unknown'
}

/**
 * Every link under which this value may have been sealed in the era: those of all generations up to
 * the current one. Throws `key_unavailable` when a part is missing: a link left out would stay readable.
 */
export function linksOf(keys: EraKeys, keyFieldValue: string): Uint8Array[] {
  const { linkKey } = keys.link ?? missing(keys, 'link')
  const current = currentOf(keys.tree, linkKey, keyFieldValue)
  if (current === 'unknown') throw keyUnavailable(keys.streamId, keys.era, 'tree')
  return Array.from({ length: current.generation + 1 }, (_, generation) =>
    linkOf(linkKey, keyFieldValue, generation),
  )
}

const missing = (keys: EraKeys, part: string): never => {
  throw keyUnavailable(keys.streamId, keys.era, part)
}

/** Where a person lies or, with levels, where these consents of a person lie. */
export function prefixesOf(link: Uint8Array, levels?: Iterable<number>): string[] {
  const person = linkDigits(link)
  return levels === undefined ? [person] : [...levels].map((level) => person + levelDigits(level))
}

export type Puncture = {
  readonly tree: Tree
  /** What changes in the era, by the suffix of the tree part; undefined: a tombstone. */
  readonly changes: ReadonlyMap<string, Buffer | undefined>
}

/**
 * The tree without the subtrees at `prefixes`. Parts that grow too large are split. Throws
 * `key_unavailable` when the part of a prefix is missing.
 */
export function puncture(
  keys: Pick<EraKeys, 'streamId' | 'era' | 'tree'>,
  prefixes: Iterable<string>,
  partBytesMax: number = TREE_PART_BYTES_MAX,
): Puncture {
  const touched = new Map<string, Map<string, Uint8Array>>()
  for (const prefix of prefixes) {
    const suffix = keys.tree.suffixFor(prefix)
    const entries =
      suffix === undefined ? undefined : (touched.get(suffix) ?? keys.tree.entriesOf(suffix))
    if (suffix === undefined || entries === undefined) {
      throw keyUnavailable(keys.streamId, keys.era, 'tree')
    }
    if (removeSubtree(entries, prefix)) touched.set(suffix, entries)
  }
  const changes = new Map<string, Buffer | undefined>()
  for (const [suffix, entries] of touched) {
    changes.set(suffix, undefined)
    for (const [name, bytes] of splitTree(entries, suffix, partBytesMax)) changes.set(name, bytes)
  }
  return { tree: replaceTreeParts(keys.tree, changes), changes }
}

/** In place. False: nothing was stored there. */
function removeSubtree(entries: Map<string, Uint8Array>, prefix: string): boolean {
  for (let digits = 0; digits < prefix.length; digits++) {
    const held = prefix.slice(0, digits)
    const node = entries.get(held)
    if (node !== undefined) {
      entries.delete(held)
      addSiblings(entries, node, prefix, digits)
      return true
    }
  }
  let removed = false
  for (const stored of entries.keys()) {
    if (stored.startsWith(prefix)) removed = entries.delete(stored)
  }
  return removed
}

/** What hung below the stored ancestor, but for the subtree at `prefix`. */
function addSiblings(
  entries: Map<string, Uint8Array>,
  ancestor: Uint8Array,
  prefix: string,
  fromDigit: number,
): void {
  let node = ancestor
  for (let i = fromDigit; i < prefix.length; i++) {
    const digit = prefix.charAt(i)
    for (const other of HEX_DIGITS) {
      if (other !== digit) entries.set(prefix.slice(0, i) + other, walk(node, other))
    }
    node = walk(node, digit)
  }
}
