// How long to wait before a retry. Pure: the clock and random numbers are arguments.

const firstMs = 100
const boundMaxMs = 10_000
const dayMs = 24 * 60 * 60 * 1000

/**
 * Returns a random pause between half of a bound and the bound, which is 100 ms at first, and doubles with each failure
 * up to 10 s. If the service asked for a longer pause, returns that pause plus up to a quarter, so that clients do not
 * all return at the same time.
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

/**
 * Reads a Retry-After header: seconds or a date (RFC 9110 10.2.3). Returns at most a day, or undefined for other texts.
 */
export function retryAfterMsOf(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Math.min(dayMs, Number(text) * 1000)
  const at = Date.parse(text)
  // An HTTP date starts with the day's name, but Date.parse also accepts other formats.
  if (!/^[A-Za-z]{3}/.test(text) || Number.isNaN(at)) return undefined
  return Math.min(dayMs, Math.max(0, at - nowMs))
}
