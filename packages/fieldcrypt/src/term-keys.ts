// The keys of one stream and term, prepared for use: who a person is (`link`), and who can be decrypted (`tree`,
// `withdrawn`), as far as the key records are available. TermKeys are immutable: `withTree` returns new TermKeys for
// another tree, so that one comparison tells a cache whether anything has changed.
import { blockCipher, LINK_BYTES } from './derivation.ts'
import { corrupt, notWellFormed } from './errors.ts'
import { macKey } from './primitives/primitives.ts'
import type { MacKey } from './primitives/types.ts'
import { checkedKey, LINK_PART_BYTES, KEY_BYTES } from './tree/parts.ts'
import { createTree } from './tree/tree.ts'
import type { Tree, TreePartSource } from './tree/tree.ts'
import { withdrawnIn, withdrawnPartOf } from './withdrawn.ts'

export type TermParts = {
  readonly streamId: string
  readonly term: number
  /** The key records of the tree by suffix: `''` for `tree`, `31` for `tree.31`. */
  readonly trees: Iterable<readonly [string, TreePartSource]>
  /** Plaintext of the key record: linkKey, subjectKeyA, subjectKeyB. Never available in output. */
  readonly link?: Buffer | undefined
  /**
   * The key records `withdrawn`, by name; undefined while a record can't be read. If there are none, nobody has
   * withdrawn a level.
   */
  readonly withdrawn?: ReadonlyMap<string, () => Buffer | undefined>
}

export type TermKeys = {
  readonly streamId: string
  readonly term: number
  readonly tree: Tree
  readonly link: LinkKeys | undefined
  /** False if nobody has withdrawn anything in this term. */
  readonly hasWithdrawn: boolean
  /** The levels that are withdrawn under a link; undefined while the record can't be read. */
  readonly withdrawn: (link: Uint8Array) => readonly number[] | undefined
}

/** The functions of the key record `link`: from values to links and, for data subjects, from links to entries. */
export type LinkKeys = {
  readonly linkKey: MacKey
  /** The hash under which a subject's links are stored, 16 bytes. Throws `not_well_formed`. */
  subjectHash(subject: string): Buffer
  /** The form of a link in a subject's entry, 16 bytes. */
  sealLink(link: Uint8Array): Buffer
  /** Throws `corrupt` for bytes that `sealLink` didn't return. */
  openLink(sealed: Uint8Array): Uint8Array
}

const noParts: ReadonlyMap<string, () => Buffer | undefined> = new Map()

/** Throws `record_unreadable` if a key record has the wrong size. */
export function termKeys(parts: TermParts): TermKeys {
  const { streamId, term, trees, link, withdrawn = noParts } = parts
  const readWithdrawn = new Map<string, Buffer>()
  return {
    streamId,
    term,
    tree: createTree(trees),
    hasWithdrawn: withdrawn.size > 0,
    withdrawn(ofLink) {
      const name = withdrawnPartOf(ofLink)
      const open = withdrawn.get(name)
      if (open === undefined) return []
      const part = readWithdrawn.get(name) ?? open()
      if (part === undefined) return undefined
      readWithdrawn.set(name, part)
      return withdrawnIn(part, ofLink)
    },
    link: link && linkKeys(checkedKey(link, LINK_PART_BYTES, 'link')),
  }
}

/** The same keys after a change of the tree. Cached people whose prefix is still stored stay cached. */
export const withTree = <Keys extends TermKeys>(keys: Keys, tree: Tree): Keys => ({ ...keys, tree })

function linkKeys(plain: Buffer): LinkKeys {
  const subjectKeyA = macKey('sha256', plain.subarray(KEY_BYTES, 2 * KEY_BYTES))
  const subjectCipher = blockCipher(plain.subarray(2 * KEY_BYTES))
  return {
    linkKey: macKey('sha256', plain.subarray(0, KEY_BYTES)),
    subjectHash(subject) {
      if (!subject.isWellFormed()) throw notWellFormed()
      return subjectKeyA.mac(Buffer.from(subject, 'utf8')).subarray(0, 16)
    },
    sealLink: (link) => subjectCipher.encrypt(Buffer.concat([link, Buffer.alloc(8)])),
    openLink(sealed) {
      if (sealed.length !== 16) throw corrupt()
      const block = subjectCipher.decrypt(sealed)
      if (!block.subarray(LINK_BYTES).equals(Buffer.alloc(8))) throw corrupt()
      return new Uint8Array(block.subarray(0, LINK_BYTES))
    },
  }
}
