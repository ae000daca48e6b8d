// The period of a usage request, divided into intervals of equal length (`pieces`). Minutes are kept for 35 days, so
// older usage is available only by day.
import { invalid } from '@weir/http-api'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const pieces = {
  '1m': { ms: minuteMs, usuallyMs: 60 * minuteMs },
  '15m': { ms: 15 * minuteMs, usuallyMs: dayMs },
  '1h': { ms: 60 * minuteMs, usuallyMs: dayMs },
  '1d': { ms: dayMs, usuallyMs: 30 * dayMs },
} as const

export type By = keyof typeof pieces

export type Period = {
  readonly by: By
  readonly pieceMs: number
  /** The start of the first piece. `untilMs` is the end of the last piece. */
  readonly fromMs: number
  readonly untilMs: number
}

export const minutesKeptDays = 35
/** Returns the time before which days are folded, or may be folded at any time. */
export const foldedBefore = (nowMs: number): number =>
  Math.floor((nowMs - minutesKeptDays * dayMs) / dayMs) * dayMs

/** Enough for the minutes of `minutesKeptDays`. */
const piecesMax = 51_000

type Asked = { by?: string | undefined; from?: string | undefined; until?: string | undefined }

/** @throws Refusal `invalid` with all problems */
export function periodOf({ by = '1h', from, until }: Asked, nowMs: number): Period {
  const problems: string[] = []
  if (!isBy(by)) problems.push(`by must be one of ${Object.keys(pieces).join(', ')}`)
  const piece = pieces[isBy(by) ? by : '1h']
  const askedUntilMs = parseQueryTime('until', until, problems) ?? nowMs
  const untilMs = ceilTo(Math.min(askedUntilMs, nowMs), piece.ms)
  const askedFromMs = parseQueryTime('from', from, problems) ?? untilMs - piece.usuallyMs
  const fromMs = floorTo(askedFromMs, piece.ms)
  if (problems.length > 0 || !isBy(by)) throw invalid(problems)
  if (fromMs >= untilMs) problems.push('from must be before until, and not in the future')
  if (by !== '1d' && fromMs < nowMs - minutesKeptDays * dayMs)
    problems.push(`from must be within the last ${minutesKeptDays} days, or by must be 1d`)
  if ((untilMs - fromMs) / piece.ms > piecesMax)
    problems.push(`from and until must be at most ${piecesMax} times ${by} apart`)
  if (problems.length > 0) throw invalid(problems)
  return { by, pieceMs: piece.ms, fromMs, untilMs }
}

const isBy = (text: string): text is By => Object.hasOwn(pieces, text)

const floorTo = (ms: number, unit: number): number => Math.floor(ms / unit) * unit
const ceilTo = (ms: number, unit: number): number => Math.ceil(ms / unit) * unit

// date or date-time of RFC 3339; seconds are optional
const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i

/** Returns the time in epoch ms; undefined if there is no text. If the text is invalid, adds a problem. */
export function parseQueryTime(
  name: string,
  text: string | undefined,
  problems: string[],
): number | undefined {
  if (text === undefined) return undefined
  const ms =
    form.test(text) && isOnCalendar(text.slice(0, 10)) ? Date.parse(text.toUpperCase()) : NaN
  if (!Number.isNaN(ms)) return ms
  problems.push(`${name} must be a date or a time such as 2026-11-21 or 2026-11-21T10:00:00Z`)
  return undefined
}

/** Returns false for dates such as 31 February, which `Date.parse` accepts as a day in March. */
function isOnCalendar(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
}
