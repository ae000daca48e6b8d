// Erasure: removes subtrees from a tree, and finds the link that encryption uses afterwards. Does no I/O: it returns
// the changed key records of the term, and the caller writes them in one transaction.
import { levelDigits, LINK_DIGITS, linkDigits, linkOf, PATH_DIGITS } from '../derivation.ts'
import { keyUnavailable } from '../errors.ts'
import type { TermKeys } from '../term-keys.ts'
import type { MacKey } from '../primitives/types.ts'
import { cutPart } from './cut-part.ts'
import type { PartCutting } from './cut-part.ts'
import { DIGITS } from './digits.ts'
import { entryBytes, splitTree, TREE_PART_BYTES_MAX } from './tree-bytes.ts'
import { replaceTreeParts } from './tree.ts'
import type { Tree } from './tree.ts'

// Nobody is erased more often than this within a term. Without this limit, an empty tree would cause an endless loop.
const GENERATIONS_MAX = 65_536

export type Current = { readonly generation: number; readonly link: Uint8Array }

/** Returns the link for encryption: that of the smallest generation that has a stored prefix. */
export function currentOf(tree: Tree, linkKey: MacKey, keyFieldValue: string): Current | 'unknown' {
  for (let generation = 0; generation < GENERATIONS_MAX; generation++) {
    const link = linkOf(linkKey, keyFieldValue, generation)
    const stored = tree.find(linkDigits(link))
    if (stored === 'unknown') return 'unknown'
    if (stored !== 'erased') return { generation, link }
  }
  return 'unknown'
}

/**
 * Returns all links that this value may have had in the term: those of all generations up to the current one. Throws
 * `key_unavailable` if a key record is missing, because fields under a missed link would stay readable.
 */
export function linksOf(keys: TermKeys, keyFieldValue: string): Uint8Array[] {
  const { linkKey } = keys.link ?? missing(keys, 'link')
  const current = currentOf(keys.tree, linkKey, keyFieldValue)
  if (current === 'unknown') throw keyUnavailable(keys.streamId, `term ${keys.term}`, 'tree')
  return Array.from({ length: current.generation + 1 }, (_, generation) =>
    linkOf(linkKey, keyFieldValue, generation),
  )
}

const missing = (keys: TermKeys, part: string): never => {
  throw keyUnavailable(keys.streamId, `term ${keys.term}`, part)
}

/** Returns the prefix of a person in the tree or, with `levels`, those of the person's levels. */
export function prefixesOf(link: Uint8Array, levels?: Iterable<number>): string[] {
  const person = linkDigits(link)
  return levels === undefined ? [person] : [...levels].map((level) => person + levelDigits(level))
}

/** Removes subtrees from a tree one after the other. The tree itself is not changed. */
export type Cutting = {
  /**
   * Returns false if the subtree at the prefix was removed before.
   * @throws FieldcryptError `key_unavailable` if the key record is missing
   */
  remove(prefix: string): boolean
  /** Returns the size of all key records that have changed so far. */
  bytes(): number
  /**
   * Yields the changed key records of the tree by suffix, or undefined for a tombstone. If a record has grown too
   * large, its replacements come before its tombstone. So a replica that has read half of them lacks nothing. Each
   * changed record is encoded only on request.
   */
  changes(): Generator<readonly [suffix: string, part: Buffer | undefined]>
}

export function startCutting(
  keys: Pick<TermKeys, 'streamId' | 'term' | 'tree'>,
  partBytesMax: number = TREE_PART_BYTES_MAX,
): Cutting {
  const changed = new Map<string, PartCutting>()
  return {
    remove(prefix) {
      const suffix = keys.tree.suffixFor(prefix)
      const part = suffix === undefined ? undefined : keys.tree.open(suffix)
      if (suffix === undefined || part === undefined)
        throw keyUnavailable(keys.streamId, `term ${keys.term}`, 'tree')
      const cutting = changed.get(suffix) ?? cutPart(part)
      const isRemoved = cutting.remove(prefix)
      if (isRemoved) changed.set(suffix, cutting)
      return isRemoved
    },
    bytes: () => [...changed.values()].reduce((sum, cutting) => sum + cutting.bytes(), 0),
    *changes() {
      for (const [suffix, cutting] of changed) {
        const parts = splitTree(cutting.encode(), suffix, partBytesMax)
        yield* parts
        if (!parts.has(suffix)) yield [suffix, undefined]
      }
    },
  }
}

const LEVEL_DIGITS = PATH_DIGITS - LINK_DIGITS

/**
 * Returns the maximum growth of the tree in bytes if `people` are removed or, with `levels`, this many levels of each.
 * Each person leaves three siblings at each digit of the path. Many people share the siblings at the first digits.
 */
export function growthMaxBytes(people: number, levels?: number): number {
  let entries = levels === undefined ? 0 : people * levels * LEVEL_DIGITS
  for (let digit = 0; digit < LINK_DIGITS; digit += 1)
    entries += Math.min(people, DIGITS.length ** digit)
  return entries * (DIGITS.length - 1) * entryBytes(PATH_DIGITS)
}

export type Puncture = {
  readonly tree: Tree
  /** As in `Cutting.changes`. */
  readonly changes: ReadonlyMap<string, Buffer | undefined>
}

/**
 * Returns the tree without the subtrees at `prefixes`.
 * @throws as `Cutting` does
 */
export function puncture(
  keys: Pick<TermKeys, 'streamId' | 'term' | 'tree'>,
  prefixes: Iterable<string>,
  partBytesMax?: number,
): Puncture {
  const cutting = startCutting(keys, partBytesMax)
  for (const prefix of prefixes) cutting.remove(prefix)
  const changes = new Map(cutting.changes())
  return { tree: replaceTreeParts(keys.tree, changes), changes }
}
