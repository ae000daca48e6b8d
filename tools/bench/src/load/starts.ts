// When each request of a connection began, by its stream: a ring, so that nothing is allocated.

export type Starts = {
  /** Before the next is put there must be fewer than `ring` streams between the oldest open one and it. */
  put(streamId: number, startedAt: number): void
  /** NaN when it was not started, or taken before. */
  take(streamId: number): number
  /** Of streams that were put and not taken. */
  count(): number
}

/** Streams that may come while one is not answered. A server that lets one wait for longer is not measured by this. */
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
