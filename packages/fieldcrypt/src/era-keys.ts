// The keys of one stream and era, prepared for use, as far as the key records are available: those of its term, the
// label, and the keys of the levels. Key objects and AES schedules are created once.
import { blockCipher } from './derivation.ts'
import type { BlockCipher } from './derivation.ts'
import { levelKey as newLevelKey } from './primitives/primitives.ts'
import type { LevelKey } from './primitives/types.ts'
import type { TermKeys } from './term-keys.ts'
import { checkedKey, KEY_BYTES, levelPart } from './tree/parts.ts'

export type EraParts = {
  readonly era: number
  readonly label?: Buffer | undefined
  /** Called at the first use of a level, and repeated while it returns undefined. */
  readonly level: (level: number) => Buffer | undefined
}

/** The keys of an era, with those of its term. */
export type EraKeys = TermKeys & {
  readonly era: number
  readonly label: BlockCipher | undefined
  readonly levelKey: (level: number) => LevelKey | undefined
}

/** Throws `record_unreadable` if a key record has the wrong size. */
export function eraKeys(term: TermKeys, { era, label, level: levelPlain }: EraParts): EraKeys {
  const levelKeys = new Map<number, LevelKey>()
  const levelKey = (level: number): LevelKey | undefined => {
    const known = levelKeys.get(level)
    if (known !== undefined) return known
    const plain = levelPlain(level)
    if (plain === undefined) return undefined
    const key = newLevelKey(checkedKey(plain, KEY_BYTES, levelPart(level)))
    levelKeys.set(level, key)
    return key
  }
  const labelKey = label && blockCipher(checkedKey(label, KEY_BYTES, 'label'))
  return { ...term, era, label: labelKey, levelKey }
}

/** The same keys of the era, with changed keys of its term. */
export const withTerm = (keys: EraKeys, term: TermKeys): EraKeys => ({ ...keys, ...term })
