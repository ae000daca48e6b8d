// The keys of one stream and era, prepared for use, as far as the era's key records are available. Key objects and AES
// schedules are created once. EraKeys are immutable: `withTree` returns new EraKeys for another tree, so that one
// comparison tells a cache whether anything has changed.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { blockCipher, LINK_BYTES } from './derivation.ts'
import type { BlockCipher } from './derivation.ts'
import { corrupt, notWellFormed, recordUnreadable } from './errors.ts'
import { NODE_BYTES } from './tree/node-hash.ts'
import type { RandomBytes } from './random.ts'
import { encodeTree } from './tree/tree-bytes.ts'
import { createTree } from './tree/tree.ts'
import type { Tree, TreePartSource } from './tree/tree.ts'
import { withdrawnIn, withdrawnPartOf } from './withdrawn.ts'
import { checkedKey, LINK_PART_BYTES, KEY_BYTES, levelOfPart, levelPart } from './tree/parts.ts'

export type EraParts = {
  readonly streamId: string
  readonly era: number
  /** The key records of the tree by suffix: `''` for `tree`, `31` for `tree.31`. */
  readonly trees: Iterable<readonly [string, TreePartSource]>
  /** Plaintext of the key record: linkKey, subjectKeyA, subjectKeyB. Never available in output. */
  readonly link?: Buffer | undefined
  readonly label?: Buffer | undefined
  /** Called at the first use of a level, and repeated while it returns undefined. */
  readonly level: (level: number) => Buffer | undefined
  /**
   * The key records `withdrawn`, by name; undefined while a record can't be read. If there are none, nobody has
   * withdrawn a level.
   */
  readonly withdrawn?: ReadonlyMap<string, () => Buffer | undefined>
}

export type EraKeys = {
  readonly streamId: string
  readonly era: number
  readonly tree: Tree
  readonly link: LinkKeys | undefined
  readonly label: BlockCipher | undefined
  readonly levelKey: (level: number) => KeyObject | undefined
  /** False if nobody has withdrawn anything in this era. */
  readonly hasWithdrawn: boolean
  /** The levels that are withdrawn under a link; undefined while the record can't be read. */
  readonly withdrawn: (link: Uint8Array) => readonly number[] | undefined
}

/** The functions of the key record `link`: from values to links and, for data subjects, from links to entries. */
export type LinkKeys = {
  readonly linkKey: KeyObject
  /** The hash under which a subject's links are stored, 16 bytes. Throws `not_well_formed`. */
  subjectHash(subject: string): Buffer
  /** The form of a link in a subject's entry, 16 bytes. */
  sealLink(link: Uint8Array): Buffer
  /** Throws `corrupt` for bytes that `sealLink` didn't return. */
  openLink(sealed: Uint8Array): Uint8Array
}

const noParts: ReadonlyMap<string, () => Buffer | undefined> = new Map()

/** Throws `record_unreadable` if a key record has the wrong size. */
export function eraKeys(parts: EraParts): EraKeys {
  const { streamId, era, trees, link, label, withdrawn = noParts } = parts
  const readWithdrawn = new Map<string, Buffer>()
  const levelKeys = new Map<number, KeyObject>()
  const levelKey = (level: number): KeyObject | undefined => {
    const known = levelKeys.get(level)
    if (known !== undefined) return known
    const plain = parts.level(level)
    if (plain === undefined) return undefined
    const key = createSecretKey(checkedKey(plain, KEY_BYTES, levelPart(level)))
    levelKeys.set(level, key)
    return key
  }
  return {
    streamId,
    era,
    tree: createTree(trees),
    levelKey,
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
    label: label && blockCipher(checkedKey(label, KEY_BYTES, 'label')),
  }
}

/** The same keys after a change of the tree. Cached people whose prefix is still stored stay cached. */
export const withTree = (keys: EraKeys, tree: Tree): EraKeys => ({ ...keys, tree })

function linkKeys(plain: Buffer): LinkKeys {
  const subjectKeyA = createSecretKey(plain.subarray(KEY_BYTES, 2 * KEY_BYTES))
  const subjectCipher = blockCipher(plain.subarray(2 * KEY_BYTES))
  return {
    linkKey: createSecretKey(plain.subarray(0, KEY_BYTES)),
    subjectHash(subject) {
      if (!subject.isWellFormed()) throw notWellFormed()
      return createHmac('sha256', subjectKeyA).update(subject, 'utf8').digest().subarray(0, 16)
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

// --- new key records ---

/** The plaintext of a new key record. Throws `record_unreadable` for an unknown name. */
export function makePart(part: string, randomBytes: RandomBytes): Buffer {
  if (part === 'tree') return encodeTree(new Map([['', randomBytes(NODE_BYTES)]]))
  if (part === 'link') return randomBytes(LINK_PART_BYTES)
  if (part === 'label' || levelOfPart(part) !== undefined) return randomBytes(KEY_BYTES)
  throw recordUnreadable(`key record ${part}`)
}

/** The plaintexts of an era's first key records, by name. */
export const makeEraParts = (
  levels: Iterable<number>,
  randomBytes: RandomBytes,
): Map<string, Buffer> =>
  new Map(
    ['link', 'label', 'tree', ...[...levels].map(levelPart)].map((part) => [
      part,
      makePart(part, randomBytes),
    ]),
  )
