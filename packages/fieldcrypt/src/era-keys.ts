// The keys of one stream and era, prepared for use: the keys of its term, the label, and the level keys. A key is
// undefined while its key record is not available. Key objects and AES schedules are created once.
import { blockCipher } from './derivation.ts'
import type { BlockCipher } from './derivation.ts'
import { levelKey as newLevelKey } from './primitives/primitives.ts'
import type { LevelKey } from './primitives/types.ts'
import type { TermKeys } from './term-keys.ts'
import { checkedKey, KEY_BYTES, levelPart } from './tree/parts.ts'

export type EraParts = {
  readonly era: number
  readonly label?: Buffer | undefined
  /** Returns the bytes of a level's key, or undefined. Called at each use of the level until it returns a key. */
  readonly level: (level: number) => Buffer | undefined
}

export type EraKeys = TermKeys & {
  readonly era: number
  readonly label: BlockCipher | undefined
  readonly levelKey: (level: number) => LevelKey | undefined
}

/** Throws `record_unreadable` if the label has the wrong size. So does `levelKey` for the key of a level. */
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

export const withTerm = (keys: EraKeys, term: TermKeys): EraKeys => ({ ...keys, ...term })
