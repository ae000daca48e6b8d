// The tree of one term, which determines whose fields can be decrypted. It is searched in the bytes of its key records.
// Each record is unwrapped at first use, because a tree may have thousands of records, and an event needs only one.
// Trees are immutable: a change returns a new tree that shares the unchanged records.
//
// `find` returns `erased` only if it has read the record that would contain the path. If this record is missing, it
// returns `unknown`, even if sibling records exist, and the caller must wait.
import { findInTree, indexTree } from './tree-bytes.ts'
import type { OpenPart } from './tree-bytes.ts'

/**
 * A key record's plaintext, a function that returns it, or a `TreePart`. While the function returns undefined, it is
 * called again at each use. Its plaintext is cached. A `TreePart` is called at each use.
 */
export type TreePartSource = Buffer | (() => Buffer | undefined) | TreePart

export type StoredNode = {
  /** The number of digits of the stored prefix. */
  readonly digits: number
  readonly node: Uint8Array
}

export type Tree = {
  /** Returns the only stored prefix of `path`. A path has 0 to 36 digits of base 4. */
  find(path: string): StoredNode | 'erased' | 'unknown'
  /**
   * Returns the suffix of the key record that would contain `path` (`''` for `tree`, `31` for `tree.31`); undefined if
   * that record is missing.
   */
  suffixFor(path: string): string | undefined
  /** Returns a key record; undefined if it is not available. */
  open(suffix: string): OpenPart | undefined
  readonly parts: ReadonlyMap<string, TreePart>
}

export type TreePart = { open(): OpenPart | undefined }

/** @throws FieldcryptError `record_unreadable` for bytes that are no tree */
export const openTreePart = (bytes: Buffer, suffix: string): OpenPart => ({
  bytes,
  offsets: indexTree(bytes, suffix),
})

export const createTree = (parts: Iterable<readonly [string, TreePartSource]>): Tree =>
  treeOf(new Map([...parts].map(([suffix, source]) => [suffix, treePart(suffix, source)])))

/** Returns a tree with some key records replaced or, for undefined, removed. */
export function replaceTreeParts(
  tree: Tree,
  changes: Iterable<readonly [string, TreePartSource | undefined]>,
): Tree {
  const parts = new Map(tree.parts)
  for (const [suffix, source] of changes) {
    if (source === undefined) parts.delete(suffix)
    else parts.set(suffix, treePart(suffix, source))
  }
  return treeOf(parts)
}

/** `open` throws `record_unreadable` for bytes that are no tree. */
function treePart(suffix: string, source: TreePartSource): TreePart {
  if ('open' in source) return source
  let opened: OpenPart | undefined
  return {
    open() {
      if (opened !== undefined) return opened
      const bytes = typeof source === 'function' ? source() : source
      if (bytes !== undefined) opened = openTreePart(bytes, suffix)
      return opened
    },
  }
}

function treeOf(parts: ReadonlyMap<string, TreePart>): Tree {
  const suffixDigitsMax = Math.max(0, ...[...parts.keys()].map((suffix) => suffix.length))
  // While a replica reads a split, it may have a key record and its replacements. The longer suffix is newer, because
  // records are never joined again.
  const suffixFor = (path: string): string | undefined => {
    for (let digits = Math.min(suffixDigitsMax, path.length); digits >= 0; digits--) {
      const suffix = path.slice(0, digits)
      if (parts.has(suffix)) return suffix
    }
    return undefined
  }
  const open = (suffix: string): OpenPart | undefined => parts.get(suffix)?.open()

  return {
    parts,
    suffixFor,
    open,
    find(path) {
      const suffix = suffixFor(path)
      const part = suffix === undefined ? undefined : open(suffix)
      return part === undefined ? 'unknown' : (findInTree(part, path) ?? 'erased')
    },
  }
}
