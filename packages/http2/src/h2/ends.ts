// Closes and resets streams, and ends connections with GOAWAY, gracefully or immediately.
import { accountFor } from './bounds/credit.ts'
import { errorCode, frameType, windowMax } from './frames/frames.ts'
import type { H2ErrorCode } from './frames/frames.ts'
import type { ClosedBy } from './recent-streams.ts'
import type { ConnectionState } from './state.ts'
import type { H2Stream } from './stream.ts'

/** The time for a peer to read our last frames and close. */
const lingerMs = 1_000
/** The maximum time for requests that the peer sent before it received our GOAWAY. */
const noticeMs = 2_000
/** The acknowledgement of this PING shows that the peer has read all earlier frames. */
export const noticePing = Buffer.from('finished', 'latin1')

export function closeStream(c: ConnectionState, stream: H2Stream, by: ClosedBy = 'peer'): void {
  if (stream.isClosed) return
  stream.close()
  c.streams.delete(stream.id)
  c.lastStreamMs = c.clock.nowMs
  c.recent.add(stream.id, by)
  if (stream.isAtWork) c.orphans += 1
  else release(c, stream)
  if ((c.isFinishing || c.isPeerLeaving) && c.streams.size === 0)
    endConnection(c, errorCode.noError)
}

/** Stops counting the body of the stream as held. */
export function release(c: ConnectionState, stream: H2Stream): void {
  stream.heldBytes = 0
  accountFor(c, stream)
}

export function resetStream(c: ConnectionState, stream: H2Stream, code: H2ErrorCode): void {
  c.output.numberFrame(frameType.rstStream, stream.id, code)
  closeStream(c, stream, 'us')
}

export function endConnection(c: ConnectionState, code: H2ErrorCode, reason = ''): void {
  if (c.isOver) return
  c.isOver = true
  goAway(c, c.lastStream, { code, reason })
  c.output.flush()
  closeAll(c)
  c.socket.resume() // the kernel would drop our last frames if bytes were left unread
  c.socket.end()
  const timer = setTimeout(() => c.socket.destroy(), lingerMs).unref()
  c.socket.once('close', () => clearTimeout(timer))
}

export function closeAll(c: ConnectionState): void {
  for (const stream of c.streams.values()) closeStream(c, stream)
}

/**
 * Asks the peer by GOAWAY to open no more streams, accepts streams that it opened before, and ends the connection when
 * all are answered (RFC 9113 6.8).
 */
export function finishConnection(c: ConnectionState): void {
  if (c.isOver || c.hasNotice) return
  c.hasNotice = true
  goAway(c, windowMax, { code: errorCode.noError })
  c.output.frame({ length: 8, type: frameType.ping, flags: 0, stream: 0 }, noticePing)
  setTimeout(() => refuseStreams(c), noticeMs).unref()
}

/** Refuses later streams. The peer has had time to receive the GOAWAY. */
export function refuseStreams(c: ConnectionState): void {
  if (c.isOver || c.isFinishing) return
  c.isFinishing = true
  if (c.streams.size === 0) endConnection(c, errorCode.noError)
  else goAway(c, c.lastStream, { code: errorCode.noError })
}

function goAway(
  c: ConnectionState,
  lastStream: number,
  { code, reason = '' }: { code: H2ErrorCode; reason?: string },
): void {
  const payload = Buffer.alloc(8 + reason.length)
  payload.writeUInt32BE(lastStream, 0)
  payload.writeUInt32BE(code, 4)
  payload.write(reason, 8, 'latin1')
  c.output.frame({ length: payload.length, type: frameType.goAway, flags: 0, stream: 0 }, payload)
}
