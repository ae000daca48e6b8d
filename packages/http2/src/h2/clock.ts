// The clock that all connections of a port share. It advances about once a second. This is precise enough for time-outs
// and the Date of a response, and costs a request nothing.
import { encodeHeaders } from '../hpack/encoder.ts'

export type Clock = {
  nowMs: number
  /** The encoded header field `date`. */
  date: Buffer
  tick(): void
}

export function createClock(): Clock {
  const clock: Clock = {
    nowMs: 0,
    date: Buffer.alloc(0),
    tick() {
      clock.nowMs = performance.now()
      clock.date = encodeHeaders([['date', new Date().toUTCString()]])
    },
  }
  clock.tick()
  return clock
}
