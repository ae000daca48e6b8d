// Limits the size of requests while a broker throttles, so that each delay is short. A large request of one busy
// partition would delay all other partitions. Without throttling only the maximum applies.

export type Pace = {
  /** Returns the limit for all batches of a request together. A single record may be larger. */
  bytesMax(): number
  /** Call with the throttle time of each response; 0 ms if there is none. */
  answered(bytes: number, throttleMs: number): void
}

const REQUEST_BYTES_MAX = 4_000_000
const REQUEST_BYTES_MIN = 16_384
/** The longest throttle time that one request should cause. */
const THROTTLE_MS = 250

export function createPace(): Pace {
  let bytesMax = REQUEST_BYTES_MAX
  return {
    bytesMax: () => bytesMax,
    answered(bytes, throttleMs) {
      if (throttleMs === 0) {
        if (bytesMax < REQUEST_BYTES_MAX) bytesMax = Math.min(REQUEST_BYTES_MAX, bytesMax * 2)
      } else if (throttleMs > THROTTLE_MS) {
        const fitting = Math.floor((bytes * THROTTLE_MS) / throttleMs)
        bytesMax = Math.max(REQUEST_BYTES_MIN, Math.min(bytesMax, fitting))
      }
    },
  }
}
