// How long to wait before a retry. Pure: the clock and random numbers are arguments.

const firstMs = 100
const boundMaxMs = 10_000
const dayMs = 24 * 60 * 60 * 1000

/**
 * The pause is between half of a bound and the bound, which doubles with each failure up to ten seconds. It is at least
 * the time that the service asked for, plus up to a quarter, so that clients don't all come back at the same time.
 */
export function pauseMs(
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number {
  const bound = Math.min(boundMaxMs, firstMs * 2 ** Math.min(failures - 1, 30))
  const own = bound * (0.5 + random() / 2)
  if (retryAfterMs === undefined) return own
  return Math.max(own, retryAfterMs * (1 + random() / 4))
}

/** RFC 9110 10.2.3: seconds or a date. At most a day; undefined if it is neither. */
export function retryAfterMsOf(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Math.min(dayMs, Number(text) * 1000)
  const at = Date.parse(text)
  // An HTTP date starts with the day's name. Date.parse accepts other formats, too.
  if (!/^[A-Za-z]{3}/.test(text) || Number.isNaN(at)) return undefined
  return Math.min(dayMs, Math.max(0, at - nowMs))
}
