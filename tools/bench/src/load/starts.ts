// The start times of a connection's requests, by stream, in a circular buffer, which needs no allocation per request.

export type Starts = {
  /** There must be fewer than `ring` streams between the oldest open one and the new one. */
  put(streamId: number, startedAt: number): void
  /** Removes and returns the start time; NaN if there is none. */
  take(streamId: number): number
  count(): number
}

/** The maximum number of streams that may start while one is unanswered. Slower servers can't be measured. */
const ring = 65_536

export function createStarts(): Starts {
  const times = new Float64Array(ring).fill(NaN)
  const slot = (streamId: number): number => (streamId >> 1) % ring
  let open = 0
  return {
    put(streamId, startedAt) {
      const at = slot(streamId)
      if (!Number.isNaN(times[at])) throw new Error('a stream was not answered for too long')
      times[at] = startedAt
      open += 1
    },
    take(streamId) {
      const at = slot(streamId)
      const startedAt = times[at] ?? NaN
      times[at] = NaN
      if (!Number.isNaN(startedAt)) open -= 1
      return startedAt
    },
    count: () => open,
  }
}
