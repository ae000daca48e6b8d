// The typed levels of a new output. Pure.
import type { LevelType } from '../api/account.ts'

export type TypedLevels =
  | { readonly levels: readonly number[]; readonly problem?: undefined }
  /** A sentence. No service is called. */
  | { readonly levels?: undefined; readonly problem: string }

export function readLevels(text: string, type: LevelType): TypedLevels {
  const items = text.split(/[\s,]+/).filter((item) => item !== '')
  const levels = items.map(Number)
  if (items.length === 0) return { problem: 'Enter a level.' }
  if (items.some((item) => !/^\d{1,3}$/.test(item)) || levels.some((level) => level > 255))
    return { problem: 'Levels are whole numbers from 0 to 255.' }
  if (new Set(levels).size < levels.length) return { problem: 'Enter each level once.' }
  if (type === 'CUMULATIVE' && levels.length > 1)
    return { problem: 'Enter one level: an output of this type decrypts it and all below it.' }
  return { levels }
}
