// How often the machine itself stalls, measured by the gaps in a loop that only reads the clock. Virtual machines lose
// whole milliseconds to their neighbours. Latencies measured there are no more precise than these gaps.

export type Stalls = {
  /** The share of time in gaps of 2 ms or more, in per cent. */
  readonly percent: number
  readonly longestMs: number
}

const gapMs = 2

/** Measures for this time, and blocks the process meanwhile. */
export function measureStalls(forMs: number): Stalls {
  const end = performance.now() + forMs
  let lost = 0
  let longestMs = 0
  for (let last = performance.now(), now = last; now < end; last = now) {
    now = performance.now()
    const gap = now - last
    if (gap < gapMs) continue
    lost += gap
    longestMs = Math.max(longestMs, gap)
  }
  const rounded = (value: number): number => Number(value.toFixed(1))
  return { percent: rounded((lost / forMs) * 100), longestMs: rounded(longestMs) }
}
