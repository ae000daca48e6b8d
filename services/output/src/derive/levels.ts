// The meaning of a derived stream's consent levels (spec Events 4 and 5; docs/wire-format.md Derived streams). A
// CUMULATIVE stream has one level, and sees the fields of this level and of all lower levels. A GRANULAR stream sees
// exactly the fields of its levels. A stream without levels passes and decrypts nothing.
import { levelOfPart } from '@weir/fieldcrypt'
import { opensLevel } from '@weir/control-state'
import type { DerivedStream } from '@weir/control-state'

export type Levels = {
  /** Returns whether an event with this consent gets into the stream. */
  readonly pass: (consentLevels: readonly number[]) => boolean
  /** Returns whether the stream may see fields of the level. */
  readonly open: (level: number) => boolean
}

export function levelsOf(
  stream: Pick<DerivedStream, 'consentLevels' | 'consentLevelType'>,
): Levels {
  const { consentLevels, consentLevelType } = stream
  const isKnown = ['CUMULATIVE', 'GRANULAR'].includes(consentLevelType)
  const pass = (consent: readonly number[]): boolean =>
    isKnown && consentLevels.length > 0 && consentLevels.every((level) => consent.includes(level))
  return { pass, open: (level) => opensLevel(stream, level) }
}

/** The levels that a deployment may decrypt; undefined for all levels. */
export type LevelsAllowed = readonly number[] | undefined

/**
 * Returns the levels of a stream that a deployment may not decrypt. If there are any, the deployment derives nothing
 * for the stream.
 */
export function levelsDenied(
  { consentLevels, consentLevelType }: Pick<DerivedStream, 'consentLevels' | 'consentLevelType'>,
  allowed: LevelsAllowed,
): number[] {
  if (allowed === undefined) return []
  const [highest = -1] = consentLevels
  const asked =
    consentLevelType === 'CUMULATIVE'
      ? Array.from({ length: highest + 1 }, (_, level) => level)
      : [...consentLevels]
  return asked.filter((level) => !allowed.includes(level))
}

/**
 * Returns whether output may use a wrapping key: `open` or that of an allowed level, but never `link`, which leads from
 * a key field value to a person.
 */
export const mayUnwrapOf =
  (allowed: LevelsAllowed) =>
  (keyName: string): boolean => {
    const level = levelOfPart(keyName)
    return keyName === 'open' || (level !== undefined && (allowed?.includes(level) ?? true))
  }
