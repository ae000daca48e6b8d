// The tree of one era, which determines whose fields can be decrypted. It is searched in the bytes of its key records.
// Each record is unwrapped at first use, because a tree may have thousands of records, and an event needs only one.
// Trees are immutable: a change returns a new tree that shares the unchanged records.
//
// «erased» is returned only for an existing record that was read. A missing record is «unknown», even if its siblings
// exist, and the caller must wait.
import { decodeTree, findInTree, indexTree } from './tree-bytes.ts'

/**
 * A key record's plaintext, or a function that returns it. If it returns undefined, the record is not available, and
 * the function is called again next time. A returned plaintext is cached, except by a `TreePart`.
 */
export type TreePartSource = Buffer | (() => Buffer | undefined) | TreePart

export type StoredNode = {
  /** The number of digits of the path in the stored prefix. */
  readonly digits: number
  readonly node: Uint8Array
}

export type Tree = {
  /** The only stored prefix of `path`, which has 0 to 36 digits of base 4. */
  find(path: string): StoredNode | 'erased' | 'unknown'
  /** The suffix of the key record that would contain `path`: `''` is `tree`, `31` is `tree.31`. */
  suffixFor(path: string): string | undefined
  /** All entries of a key record, for a change. */
  entriesOf(suffix: string): Map<string, Uint8Array> | undefined
  readonly parts: ReadonlyMap<string, TreePart>
}

export type TreePart = { open(): OpenPart | undefined }
export type OpenPart = { readonly bytes: Buffer; readonly offsets: Uint32Array }

/** @throws FieldcryptError `record_unreadable` for bytes that are no tree */
export const openTreePart = (bytes: Buffer, suffix: string): OpenPart => ({
  bytes,
  offsets: indexTree(bytes, suffix),
})

export const createTree = (parts: Iterable<readonly [string, TreePartSource]>): Tree =>
  treeOf(new Map([...parts].map(([suffix, source]) => [suffix, treePart(suffix, source)])))

/** A tree with some key records replaced; undefined: the record is removed. */
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

/** Throws `record_unreadable`, at first use, for bytes that are no tree. */
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
  // For a moment a follower may have a key record and its four replacements. The longer suffix is newer, because
  // records are never joined again.
  const suffixFor = (path: string): string | undefined => {
    for (let digits = Math.min(suffixDigitsMax, path.length); digits >= 0; digits--) {
      const suffix = path.slice(0, digits)
      if (parts.has(suffix)) return suffix
    }
    return undefined
  }
  const open = (suffix: string | undefined): OpenPart | undefined =>
    suffix === undefined ? undefined : parts.get(suffix)?.open()

  return {
    parts,
    suffixFor,
    find(path) {
      const part = open(suffixFor(path))
      if (part === undefined) return 'unknown'
      return findInTree(part.bytes, part.offsets, path) ?? 'erased'
    },
    entriesOf(suffix) {
      const part = open(suffix)
      return part && decodeTree(part.bytes, suffix)
    },
  }
}
