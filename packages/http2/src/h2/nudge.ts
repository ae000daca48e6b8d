// Wakes clients that hang although their windows are open. In some clients (httpcore 1.0), every request that waits for
// a window reads from the connection once. If one read returns the windows of ten requests, the other nine requests
// wait for further bytes, which may never arrive. A harmless PING, called a nudge, provides such bytes.
import { frameType } from './frames/frames.ts'
import type { ConnectionState } from './state.ts'

const firstMs = 30
/** The longest pause between two checks. The pauses grow, so that a merely slow client isn't disturbed. */
const lastMs = 5_000
const nudge = Buffer.from('continue', 'latin1')

/** Call after each window update. Watches until no body is missing. */
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

/** Sends up to as many nudges as there are requests, because a nudge may wake a request that can't continue. */
function beginRound(c: ConnectionState): void {
  c.nudgesLeft = c.streams.size
  c.nudgedAt = c.dataFrames
  sendNudge(c)
}

/** Returns whether the PING acknowledges a nudge. If so, sends the next nudge, unless DATA has arrived. */
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

/** Returns whether a body is missing for which the client has a window. */
function waitsForBodies(c: ConnectionState): boolean {
  if (c.isOver || c.receiveWindow <= 0) return false
  for (const stream of c.streams.values())
    if (stream.wantsBody && stream.receiveWindow > 0) return true
  return false
}
