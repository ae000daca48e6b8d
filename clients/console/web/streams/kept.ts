// The retention of events, in words.
import type { Kept } from '../api/account.ts'

const dayHours = 24

export function keptInWords(kept: Kept): string {
  if (kept === 'broker') return 'as set in Kafka'
  if (kept % dayHours !== 0) return `for ${kept} h`
  return kept === dayHours ? 'for 1 day' : `for ${kept / dayHours} days`
}
