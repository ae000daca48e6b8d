// Creates the plaintexts of new key records.
import { recordUnreadable } from './errors.ts'
import type { RandomBytes } from './random.ts'
import { NODE_BYTES } from './tree/digits.ts'
import { KEY_BYTES, levelOfPart, levelPart, LINK_PART_BYTES } from './tree/parts.ts'
import { encodeTree } from './tree/tree-bytes.ts'

/** Returns the plaintext of a new key record. Throws `record_unreadable` for an unknown name. */
export function makePart(part: string, randomBytes: RandomBytes): Buffer {
  if (part === 'tree') return encodeTree(new Map([['', randomBytes(NODE_BYTES)]]))
  if (part === 'link') return randomBytes(LINK_PART_BYTES)
  if (part === 'label' || levelOfPart(part) !== undefined) return randomBytes(KEY_BYTES)
  throw recordUnreadable(`key record ${part}`)
}

/** Returns the plaintexts of the first key records of an era and its term, by name. */
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
