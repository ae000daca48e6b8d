// What all requests of many events have on their way to Kafka, in bytes: each may have its share, all together
// a bound that leaves room for single events. Who finds it full waits; nobody is refused here.

export type BacklogShare = {
  take(bytes: number): void
  /** The same bytes again. */
  give(bytes: number): void
  readonly isFull: boolean
  readonly isEmpty: boolean
  /** Resolves when something was given back, by this share or, if there is room, by any. */
  change(): Promise<void>
}

export type Backlog = { open(): BacklogShare }

/** What an event takes of our memory besides its bytes; so their number is bounded, too. */
const eventOverheadBytes = 512

export function createBacklog({
  bytesMax,
  shareBytesMax,
}: {
  bytesMax: number
  shareBytesMax: number
}): Backlog {
  let bytesOfAll = 0
  const waiting = new Set<() => void>()

  const open = (): BacklogShare => {
    let own = 0
    const wakers = new Set<() => void>()
    return {
      take(bytes) {
        own += bytes + eventOverheadBytes
        bytesOfAll += bytes + eventOverheadBytes
      },
      give(bytes) {
        own -= bytes + eventOverheadBytes
        bytesOfAll -= bytes + eventOverheadBytes
        for (const wake of wakers) wake()
        if (waiting.size === 0 || bytesOfAll >= bytesMax) return
        for (const wake of waiting) wake()
      },
      get isFull() {
        return own >= shareBytesMax || bytesOfAll >= bytesMax
      },
      get isEmpty() {
        return own === 0
      },
      change: () =>
        new Promise((resolve) => {
          const wake = (): void => {
            wakers.delete(wake)
            waiting.delete(wake)
            resolve()
          }
          wakers.add(wake)
          waiting.add(wake)
        }),
    }
  }
  return { open }
}
