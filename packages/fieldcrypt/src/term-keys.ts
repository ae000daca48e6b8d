// The keys of one stream and term, prepared for use. `link` identifies people; `tree` and `withdrawn` determine whose
// fields can be decrypted. TermKeys are immutable: a change returns another object, so a cache detects it with one
// comparison.
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
  /** The plaintext of the key record `link`: linkKey, subjectKeyA, subjectKeyB. The output service never has it. */
  readonly link?: Buffer | undefined
  /**
   * The key records `withdrawn.<digit>`, by name. A function returns undefined while its record can't be read. Without
   * a record, nobody has withdrawn a level.
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
  /** Returns the withdrawn levels of a link; undefined while the key record can't be read. */
  readonly withdrawn: (link: Uint8Array) => readonly number[] | undefined
}

/** The keys in the key record `link`: one for links, and two for the entries of data subjects. */
export type LinkKeys = {
  readonly linkKey: MacKey
  /** Returns the hash (16 bytes) under which a data subject's links are stored. Throws `not_well_formed`. */
  subjectHash(subject: string): Buffer
  /** Encrypts a link for a data subject's entry. Returns 16 bytes. */
  sealLink(link: Uint8Array): Buffer
  /** Decrypts a result of `sealLink`. Throws `corrupt` for other bytes. */
  openLink(sealed: Uint8Array): Uint8Array
}

const noParts: ReadonlyMap<string, () => Buffer | undefined> = new Map()

/** Throws `record_unreadable` if the key record `link` has the wrong size. */
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

/** Returns the same keys with another tree. Caches keep the people whose prefix is still stored. */
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
