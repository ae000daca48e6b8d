// Forgetting: taking subtrees out of a tree, and what sealing takes afterwards. Pure: the result says
// which records of the era change; writing them in one transaction is the caller's.
import type { KeyObject } from 'node:crypto'
import { levelDigits, LINK_DIGITS, linkDigits, linkOf } from '../derivation.ts'
import { keyUnavailable } from '../errors.ts'
import type { EraKeys } from '../era-keys.ts'
import { NODE_BYTES, walk } from './node-hash.ts'
import { HEX_DIGITS, splitTree, treeBytes, TREE_PART_BYTES_MAX } from './tree-bytes.ts'
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

/** Subtrees that are taken out of a tree one after the other. The tree itself stays as it is. */
export type Cutting = {
  /** False: nothing was stored there. @throws FieldcryptError `key_unavailable` when its part is missing */
  remove(prefix: string): boolean
  /** How much the parts come to that have changed so far. */
  bytes(): number
  /**
   * What changes in the era, by the suffix of the tree part; undefined: a tombstone. Where a part has grown too large its sixteen
   * pieces come before its tombstone: a replica that has followed half of it lacks nothing. Each is encoded when it is asked for.
   */
  changes(): Generator<readonly [suffix: string, part: Buffer | undefined]>
}

export function startCutting(
  keys: Pick<EraKeys, 'streamId' | 'era' | 'tree'>,
  partBytesMax: number = TREE_PART_BYTES_MAX,
): Cutting {
  const opened = new Map<string, Map<string, Uint8Array>>()
  /** What the parts that have changed come to, by suffix. */
  const changed = new Map<string, number>()
  const entriesOf = (suffix: string): Map<string, Uint8Array> | undefined => {
    const entries = opened.get(suffix) ?? keys.tree.entriesOf(suffix)
    if (entries !== undefined) opened.set(suffix, entries)
    return entries
  }
  return {
    remove(prefix) {
      const suffix = keys.tree.suffixFor(prefix)
      const entries = suffix === undefined ? undefined : entriesOf(suffix)
      if (suffix === undefined || entries === undefined)
        throw keyUnavailable(keys.streamId, keys.era, 'tree')
      const isRemoved = removeSubtree(entries, prefix)
      if (isRemoved) changed.set(suffix, treeBytes(entries))
      return isRemoved
    },
    bytes: () => [...changed.values()].reduce((sum, bytes) => sum + bytes, 0),
    *changes() {
      for (const suffix of changed.keys()) {
        const parts = splitTree(entriesOf(suffix) ?? new Map(), suffix, partBytesMax)
        yield* parts
        if (!parts.has(suffix)) yield [suffix, undefined]
      }
    },
  }
}

/** An entry whose prefix is as long as that of a consent can be: digits-count, digits, node. */
const ENTRY_BYTES_MAX = 1 + 9 + NODE_BYTES
const LEVEL_DIGITS = 2

/**
 * How many bytes a tree grows by at most when so many people are taken out of it or, with `levels`, so many consents of each: at
 * each digit of its path one leaves fifteen siblings, and at the first digits many share them.
 */
export function growthMaxBytes(people: number, levels?: number): number {
  let entries = levels === undefined ? 0 : people * levels * LEVEL_DIGITS
  for (let digit = 0; digit < LINK_DIGITS; digit += 1)
    entries += Math.min(people, HEX_DIGITS.length ** digit)
  return entries * (HEX_DIGITS.length - 1) * ENTRY_BYTES_MAX
}

export type Puncture = {
  readonly tree: Tree
  /** As `Cutting` has them. */
  readonly changes: ReadonlyMap<string, Buffer | undefined>
}

/** The tree without the subtrees at `prefixes`, all at once. @throws as `Cutting` does */
export function puncture(
  keys: Pick<EraKeys, 'streamId' | 'era' | 'tree'>,
  prefixes: Iterable<string>,
  partBytesMax?: number,
): Puncture {
  const cutting = startCutting(keys, partBytesMax)
  for (const prefix of prefixes) cutting.remove(prefix)
  const changes = new Map(cutting.changes())
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
