// What a client may send us (RFC 9113 5.2): windows are given back as bodies come in, as long as not
// too much is held for requests that aren't answered. Beyond that the oldest body alone goes on, so that
// something always gets done.
import { streamWindow } from './peer-settings.ts'
import type { ConnectionState } from './state.ts'
import type { Stream } from './stream.ts'

/** Beyond this only the oldest unfinished body of a connection goes on. */
const heldBytesMax = 8 * 1_048_576

/** Counts what the stream holds now. */
export function account(c: ConnectionState, stream: Stream): void {
  const change = stream.heldBytes - stream.countedBytes
  if (change === 0) return
  stream.countedBytes = stream.heldBytes
  c.heldBytes += change
  c.budget.add(change)
  if (change > 0) return
  creditConnection(c)
  if (c.hasStalledStreams) creditStalled(c)
}

export function creditConnection(c: ConnectionState): void {
  if (c.isOver) return
  const target = c.budget.window(c.heldBytes, c.onRoom)
  if (c.receiveWindow > target / 2) return
  c.output.windowUpdate(0, target - c.receiveWindow)
  c.receiveWindow = target
}

export function creditStream(c: ConnectionState, stream: Stream): void {
  if (!needsCredit(stream)) return
  if (c.heldBytes > heldBytesMax && !isOldest(c, stream)) {
    c.hasStalledStreams = true
    return
  }
  c.output.windowUpdate(stream.id, streamWindow - stream.receiveWindow)
  stream.receiveWindow = streamWindow
}

const needsCredit = (stream: Stream): boolean =>
  stream.wantsBody && stream.receiveWindow <= streamWindow / 2

function isOldest(c: ConnectionState, stream: Stream): boolean {
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
