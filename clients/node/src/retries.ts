// How long to wait before something is tried again. Pure: the clock and chance are arguments.

const firstMs = 100
const boundMaxMs = 10_000
const dayMs = 24 * 60 * 60 * 1000

/**
 * The n-th pause, from 1: between half of a bound and all of it. The bound doubles up to ten seconds. What the service
 * asked for is never cut short; up to a quarter is added, so that not all clients come back at once.
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

/** RFC 9110 10.2.3: seconds, or a date. A day at most; undefined when it is neither. */
export function retryAfterMsOf(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Math.min(dayMs, Number(text) * 1000)
  const at = Date.parse(text)
  // A date of HTTP begins with the day's name; Date.parse reads much else.
  if (!/^[A-Za-z]{3}/.test(text) || Number.isNaN(at)) return undefined
  return Math.min(dayMs, Math.max(0, at - nowMs))
}
