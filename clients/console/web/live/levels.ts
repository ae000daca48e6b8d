// Which events a derived stream gets (docs/wire-format.md, Derived streams). Output decides this; the page only
// explains.
import type { Output } from '../api/account.ts'
import type { LevelWords } from '../purposes/level-words.ts'

type Levels = Pick<Output, 'levels' | 'type'>

/** Returns the levels that an event's consent lacks; empty if the event passes. */
export const lackedBy = ({ levels }: Levels, consent: readonly number[]): readonly number[] =>
  levels.filter((level) => !consent.includes(level))

export const whyFiltered = (lacked: readonly number[], words: LevelWords): string =>
  `consent lacks ${lacked.map(words).join(', ')}`

/** Returns words such as «level 2 and below» or «levels 1 and 3 alone». */
export function levelsInWords({ levels, type }: Levels, words: LevelWords): string {
  const [first = 0] = levels
  const named = levels.map(words)
  if (type === 'CUMULATIVE') return `level ${words(first)}${first === 0 ? '' : ' and below'}`
  if (levels.length === 1) return `level ${words(first)} alone`
  return `levels ${named.slice(0, -1).join(', ')} and ${named.at(-1)} alone`
}
