import type { Tree } from '../../src/index.ts'
import { entryAt, indexTree } from '../../src/tree/tree-bytes.ts'

export const decodeTree = (bytes: Buffer, suffix: string): Map<string, Uint8Array> =>
  new Map([...indexTree(bytes, suffix)].map((at) => entryAt(bytes, at)))

export const entriesOf = (tree: Tree): Map<string, Uint8Array> =>
  new Map(
    [...tree.parts.keys()].flatMap((suffix) => {
      const { bytes, offsets } = tree.open(suffix) ?? { bytes: Buffer.alloc(0), offsets: [] }
      return [...offsets].map((at) => entryAt(bytes, at))
    }),
  )
