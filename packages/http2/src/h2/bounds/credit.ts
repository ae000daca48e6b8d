// Extends the receive windows (RFC 9113 5.2) as bodies arrive, unless unanswered requests hold too many bytes. In that
// case, only the oldest body continues, which ensures progress. A body with an announced length gets its whole window
// immediately if the connection has room for it, so that ordinary clients needn't wait.
import { windowDefault } from '../frames/frames.ts'
import { watchBodies } from '../nudge.ts'
import { streamWindow } from '../frames/peer-settings.ts'
import type { ConnectionState } from '../state.ts'
import type { H2Stream } from '../stream.ts'
import { useBudget, windowFor } from './budget.ts'

/** The maximum window of a stream: 1 MiB, and room for padding. */
const aheadBytes = 1_114_112

/** Updates the number of bytes that the stream holds. */
export function accountFor(c: ConnectionState, stream: H2Stream, isWhole = stream.isEnded): void {
  const unfinished = isWhole ? 0 : stream.heldBytes
  if (unfinished !== stream.unfinishedBytes) {
    c.budget.unfinished += unfinished - stream.unfinishedBytes
    stream.unfinishedBytes = unfinished
  }
  const change = stream.heldBytes - stream.countedBytes
  if (change === 0) return
  stream.countedBytes = stream.heldBytes
  c.heldBytes += change
  useBudget(c.budget, change)
  if (change > 0) return
  creditConnection(c)
  if (c.hasStalledStreams) creditStalled(c)
}

export function creditConnection(c: ConnectionState): void {
  if (c.isOver) return
  const target = windowFor(c.budget, c)
  const change = target - c.receiveWindow
  // a window increment of 0 would end the connection
  if (change <= 0 || c.receiveWindow > target / 2) return
  c.output.windowUpdate(0, change)
  c.receiveWindow = target
  c.budget.promised += change
  watchBodies(c)
}

export function creditStream(c: ConnectionState, stream: H2Stream): void {
  if (!stream.wantsBody) return
  const { contentLength } = stream.head
  const left = (contentLength ?? Infinity) - stream.bodyBytes
  if (left <= stream.receiveWindow) return
  const isLarge = (contentLength ?? stream.bodyBytes) > windowDefault
  if (isLarge && !c.hasLargeBodies) {
    c.hasLargeBodies = true
    creditConnection(c)
  }
  const goesAhead = isLarge && mayGoAhead(c, stream)
  const target = goesAhead ? Math.min(left, aheadBytes) : streamWindow
  if (stream.receiveWindow > target / 2) return
  if (!goesAhead && c.heldBytes > c.budget.connectionBytesMax && !isOldest(c, stream)) {
    c.hasStalledStreams = true
    return
  }
  c.output.windowUpdate(stream.id, target - stream.receiveWindow)
  stream.receiveWindow = target
  watchBodies(c)
}

/** Returns whether a stream may get its whole window. The oldest always may, others within the connection's limit. */
function mayGoAhead(c: ConnectionState, stream: H2Stream): boolean {
  let bytes = c.heldBytes + aheadBytes
  for (const { receiveWindow } of c.streams.values())
    if (receiveWindow > streamWindow) bytes += receiveWindow
  return bytes <= c.budget.connectionBytesMax || isOldest(c, stream)
}

function isOldest(c: ConnectionState, stream: H2Stream): boolean {
  for (const other of c.streams.values()) if (other.wantsBody) return other === stream
  return false
}

function creditStalled(c: ConnectionState): void {
  c.hasStalledStreams = false
  for (const stream of c.streams.values()) {
    creditStream(c, stream)
    if (c.hasStalledStreams) return
  }
}
