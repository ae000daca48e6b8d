// How much goes into one request, so that a broker with a quota makes us wait often and shortly instead of seldom and
// long: a request of one busy partition would else take the others' time away with it. Without a quota nothing is
// smaller than configured.

export type Pace = {
  /** Of the batches of one request together. A single record may be larger. */
  bytesMax(): number
  /** What a broker made of a request: 0 ms when it imposes nothing. */
  answered(bytes: number, throttleMs: number): void
}

const REQUEST_BYTES_MAX = 4_000_000
const REQUEST_BYTES_MIN = 16_384
/** What a request should make its successors wait at most. */
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
