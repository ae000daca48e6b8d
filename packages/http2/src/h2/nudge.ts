// Wakes clients that sleep although their windows are open. Some (httpcore 1.0) let every request that
// waits for a window read from the connection once by itself: when one read brings the windows of ten
// requests, nine go on waiting for bytes that nobody has to send. A PING is such bytes, and harms nobody.
import { frameType } from './frames/frames.ts'
import type { ConnectionState } from './state.ts'

const firstMs = 30
/** A client that is only slow is left in peace. */
const lastMs = 5_000
const nudge = Buffer.from('continue', 'latin1')

/** To be called whenever windows were opened: watches until no body is waited for any longer. */
export function watchBodies(c: ConnectionState): void {
  if (c.isWatched) return
  c.isWatched = true
  watch(c, firstMs)
}

function watch(c: ConnectionState, afterMs: number): void {
  const { dataFrames } = c
  const look = (): void => {
    c.isWatched = waitsForBodies(c)
    if (!c.isWatched) return
    const isQuiet = c.dataFrames === dataFrames
    if (isQuiet) beginRound(c)
    watch(c, isQuiet ? Math.min(2 * afterMs, lastMs) : firstMs)
  }
  setTimeout(look, afterMs).unref()
}

/** A PING may wake a request that can't go on; so there are as many as there are requests. */
function beginRound(c: ConnectionState): void {
  c.nudgesLeft = c.streams.size
  c.nudgedAt = c.dataFrames
  sendNudge(c)
}

/** Whether it is the acknowledgement of a nudge. The next one is due, unless that one helped. */
export function onNudged(c: ConnectionState, payload: Buffer): boolean {
  if (c.nudgesLeft <= 0 || !payload.equals(nudge)) return false
  c.nudgesLeft -= 1
  if (c.nudgesLeft > 0 && c.dataFrames === c.nudgedAt && waitsForBodies(c)) sendNudge(c)
  else c.nudgesLeft = 0
  return true
}

function sendNudge(c: ConnectionState): void {
  c.output.frame({ length: nudge.length, type: frameType.ping, flags: 0, stream: 0 }, nudge)
}

/** A body is awaited, and nothing of ours keeps it from coming. */
function waitsForBodies(c: ConnectionState): boolean {
  if (c.isOver || c.receiveWindow <= 0) return false
  for (const stream of c.streams.values())
    if (stream.wantsBody && stream.receiveWindow > 0) return true
  return false
}
