// Which events a derived stream gets (docs/wire-format.md, Derived streams). Output decides; the page only explains
// what it sees.
import type { Output } from '../api/account.ts'

type Levels = Pick<Output, 'levels' | 'type'>

/** The levels that are missing in an event's consent; empty if it passes. */
export const lackedBy = ({ levels }: Levels, consent: readonly number[]): readonly number[] =>
  levels.filter((level) => !consent.includes(level))

export const whyFiltered = (lacked: readonly number[]): string =>
  `consent lacks ${lacked.join(', ')}`

/** In words: «level 2 and below», «levels 1 and 3 alone». */
export function levelsInWords({ levels, type }: Levels): string {
  const [first = 0] = levels
  if (type === 'CUMULATIVE') return first === 0 ? 'level 0' : `level ${first} and below`
  if (levels.length === 1) return `level ${first} alone`
  return `levels ${levels.slice(0, -1).join(', ')} and ${levels.at(-1)} alone`
}
