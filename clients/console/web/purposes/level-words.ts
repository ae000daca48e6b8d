// A level as people read it: with the title of its purpose, if it has one. Pure.
import type { Purpose } from '../api/account.ts'

/** Returns «2 (marketing e-mails)», or the number alone. */
export type LevelWords = (level: number) => string

export function levelWordsOf(purposes: readonly Purpose[]): LevelWords {
  const titles = new Map(purposes.map(({ level, title }) => [level, title]))
  return (level) => (titles.has(level) ? `${level} (${titles.get(level)})` : String(level))
}
