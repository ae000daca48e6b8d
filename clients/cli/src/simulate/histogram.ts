// Counts times in logarithmic buckets. Percentiles are exact within 1 %, and the memory is constant. Pure.
const growth = 1.02
const smallestMs = 0.01
const buckets = 1_000

export type Histogram = {
  add(ms: number): void
  count(): number
  /** Returns milliseconds, or 0 if there are no times. */
  percentile(share: number): number
}

export function createHistogram(): Histogram {
  const counts = new Float64Array(buckets)
  let total = 0
  return {
    add(ms) {
      const at = Math.floor(Math.log(Math.max(ms, smallestMs) / smallestMs) / Math.log(growth))
      const bucket = Math.min(at, buckets - 1)
      counts[bucket] = (counts[bucket] ?? 0) + 1
      total += 1
    },
    count: () => total,
    percentile(share) {
      let left = Math.ceil(total * share)
      for (const [bucket, count] of counts.entries()) {
        left -= count
        if (left <= 0 && total > 0) return smallestMs * growth ** (bucket + 0.5)
      }
      return 0
    },
  }
}
