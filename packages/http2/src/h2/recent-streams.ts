// The streams that closed last. A frame for one of them is either late or a violation, depending on the side that
// closed the stream (RFC 9113 5.1).

const streamsMax = 256

export type ClosedBy = 'us' | 'peer'

export type RecentStreams = {
  add(id: number, by: ClosedBy): void
  /** Returns undefined if the stream closed long ago, or was never open. */
  closedBy(id: number): ClosedBy | undefined
}

export function createRecentStreams(): RecentStreams {
  const ids = new Int32Array(streamsMax)
  const byUs = new Uint8Array(streamsMax)
  let next = 0
  return {
    add(id, by) {
      ids[next] = id
      byUs[next] = by === 'us' ? 1 : 0
      next = (next + 1) % streamsMax
    },
    closedBy(id) {
      const at = ids.lastIndexOf(id)
      if (at < 0) return undefined
      return byUs[at] === 1 ? 'us' : 'peer'
    },
  }
}
