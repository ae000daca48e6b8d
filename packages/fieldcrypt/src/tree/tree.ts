// The tree of one era, which determines whose fields can be decrypted. It is searched in the bytes of its key records,
// each unwrapped at first use, because a tree may have thousands of records, of which an event needs one. Trees are
// values: a change returns a new one that shares the records that stayed.
//
// «erased» is only returned for a record that exists and was read. A missing record is «unknown», even if its siblings
// exist, and the caller must wait.
import { decodeTree, findInTree, indexTree } from './tree-bytes.ts'

/**
 * A key record's plaintext, or how to get it; undefined: not available (yet), asked for again next time. What was once
 * returned is kept, except by a `TreePart`.
 */
export type TreePartSource = Buffer | (() => Buffer | undefined) | TreePart

export type StoredNode = {
  /** How many digits of the path the stored prefix has. */
  readonly digits: number
  readonly node: Uint8Array
}

export type Tree = {
  /** The one stored prefix of `path`, 0 to 21 lower-case hexadecimal digits. */
  find(path: string): StoredNode | 'erased' | 'unknown'
  /** The key record that would contain `path`: `''` is `tree`, `3f` is `tree.3f`. */
  suffixFor(path: string): string | undefined
  /** All entries of a key record, for changing it. */
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

/** A tree in which some key records are replaced; undefined: the record is gone. */
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
  // For a moment a follower may see a key record and the sixteen that replace it. The longer suffix is the newer one,
  // because records are never joined again.
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
