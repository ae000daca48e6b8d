// The latencies of events, from when they were due until their arrival.

/** Milliseconds from when an event was due. `errors` is the number of missing and duplicate events. */
export type Latencies = { p50Ms: number; p99Ms: number; errors: number }

/** An arrival of 0 means that the event is missing. */
export function latenciesOf(
  arrivals: Float64Array,
  { first, dueAt }: { readonly first: number; readonly dueAt: (number: number) => number },
): Latencies {
  const took = [...arrivals.subarray(first)]
    .map((arrivedAt, i) => (arrivedAt === 0 ? NaN : arrivedAt - dueAt(first + i)))
    .filter((ms) => !Number.isNaN(ms))
    .sort((a, b) => a - b)
  const percentile = (share: number): number => took[Math.floor(took.length * share)] ?? NaN
  const missing = arrivals.filter((arrivedAt) => arrivedAt === 0).length
  return { p50Ms: percentile(0.5), p99Ms: percentile(0.99), errors: missing }
}
