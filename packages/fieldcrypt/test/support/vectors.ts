// The tests' fixtures: version 2 of the format from an independent implementation, RFC 5297's examples, and
// Wycheproof's AES-SIV cases. They never change.
import { eraKeys, termKeys, termOf } from '../../src/index.ts'
import type { EraKeys } from '../../src/index.ts'
import { macKey } from '../../src/primitives/primitives.ts'
import type { MacKey, Workspace } from '../../src/primitives/types.ts'
import { workspaceBytes } from '../../src/primitives/workspace.ts'
import { encodeTree } from '../../src/tree/tree-bytes.ts'
import { createTree } from '../../src/tree/tree.ts'
import type { Tree } from '../../src/tree/tree.ts'
import keysV2 from '../vectors/keys-v2.json' with { type: 'json' }
import rfc5297 from '../vectors/rfc5297.json' with { type: 'json' }
import wycheproof from '../vectors/wycheproof_aes_siv_cmac.json' with { type: 'json' }

export { keysV2, rfc5297, wycheproof }

export const hex = (text: string): Buffer => Buffer.from(text, 'hex')

/** Converts an object whose properties are levels, `"0"` to `"255"`. */
export const perLevel = (values: Readonly<Record<string, string>>): [number, string][] =>
  Object.entries(values).map(([level, value]) => [Number(level), value])

export const linkKey: MacKey = macKey('sha256', hex(keysV2.keys.linkKey))
export const treeBytes: Buffer = encodeTree(new Map([['', hex(keysV2.keys.tree[''])]]))
export const tree: Tree = createTree([['', treeBytes]])

/** Returns the vectors' keys of an era, for any stream and optionally another tree. */
export function vectorKeys(
  era: number,
  { streamId = 'stream-a', trees = [['', treeBytes]] }: VectorKeysOptions = {},
): EraKeys {
  const ofEra = keysV2.cases.find((example) => example.era === era)
  const levelKeys = new Map(perLevel(ofEra?.levelKeys ?? {}))
  const link = Buffer.concat([
    hex(keysV2.keys.linkKey),
    Buffer.alloc(32, 0xa1),
    Buffer.alloc(32, 0xb2),
  ])
  return eraKeys(termKeys({ streamId, term: termOf(era), trees, link }), {
    era,
    label: ofEra && hex(ofEra.labelKey),
    level: (level) => {
      const key = levelKeys.get(level)
      return key === undefined ? undefined : hex(key)
    },
  })
}

export type VectorKeysOptions = {
  readonly streamId?: string
  readonly trees?: Iterable<readonly [string, Buffer | (() => Buffer | undefined)]>
}

/** Creates a workspace for data without associated data. */
export function workspaceOf(length: number): Workspace {
  const bytes = Buffer.alloc(workspaceBytes(length))
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) }
}
