// What a derived stream's consent levels mean (spec Events 4 and 5; docs/wire-format.md Derived
// streams). CUMULATIVE has one level and sees what lies at it and below; GRANULAR sees exactly its
// levels. Deny is the default: no levels pass and open nothing.
import { levelOfPart } from '@weir/fieldcrypt'
import { opensLevel } from '@weir/control-state'
import type { DerivedStream } from '@weir/control-state'

export type Levels = {
  /** True when the consent of an event lets it into the stream. */
  readonly pass: (consentLevels: readonly number[]) => boolean
  /** True when the stream may see fields of the level. */
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

/** Which levels a deployment may open at all; undefined for every level there is. */
export type LevelsAllowed = readonly number[] | undefined

/** The levels that a stream asks for and a deployment may not open: with any of them it derives nothing. */
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

/** Output has the wrapping key `open` and those of its levels: never `link`, which leads from a key field value to a person. */
export const mayUnwrapOf =
  (allowed: LevelsAllowed) =>
  (keyName: string): boolean => {
    const level = levelOfPart(keyName)
    return keyName === 'open' || (level !== undefined && (allowed?.includes(level) ?? true))
  }
