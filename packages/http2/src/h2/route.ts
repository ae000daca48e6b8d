// Passes each frame to the module with its rules. If a rule is violated, ends the stream or the whole connection.
import { cost } from './bounds/allowance.ts'
import { onGoAway, onPing, onPriority, onReset, onSettings, onWindowUpdate } from './control.ts'
import { resetStream } from './ends.ts'
import type { OnFrame } from './frames/frame-reader.ts'
import { ConnectionError, errorCode, flagOf, frameType, StreamError } from './frames/frames.ts'
import { onContinuation, onData, onHeaders } from './requests.ts'
import type { ConnectionState } from './state.ts'

/** The returned function throws ConnectionError and HeaderBlockError. */
export function createRoute(c: ConnectionState): OnFrame {
  const route = routeOf(c)
  return (type, flags, id, payload) => {
    if (c.isOver) return
    checkOrder(c, type, flags)
    // A header block that never ends doesn't keep a connection alive.
    if (c.block === undefined) c.lastFrameMs = c.clock.nowMs
    try {
      route(type, flags, id, payload)
    } catch (error) {
      if (!(error instanceof StreamError)) throw error
      c.allowance.spend(cost.streamError)
      const stream = c.streams.get(id)
      if (stream !== undefined) resetStream(c, stream, error.code)
      else c.output.numberFrame(frameType.rstStream, id, error.code)
    }
  }
}

function checkOrder(c: ConnectionState, type: number, flags: number): void {
  if (c.block !== undefined && type !== frameType.continuation)
    throw new ConnectionError(errorCode.protocolError, 'a header block is interrupted')
  if (c.hasSettings) return
  if (type !== frameType.settings || (flags & flagOf.ack) !== 0)
    throw new ConnectionError(errorCode.protocolError, 'a connection must begin with SETTINGS')
  c.hasSettings = true
}

function routeOf(c: ConnectionState): OnFrame {
  return (type, flags, id, payload) => {
    switch (type) {
      case frameType.data:
        return onData(c, id, flags, payload)
      case frameType.headers:
        return onHeaders(c, id, flags, payload)
      case frameType.priority:
        return onPriority(c, id, payload)
      case frameType.rstStream:
        return onReset(c, id, payload)
      case frameType.settings:
        return onSettings(c, id, flags, payload)
      case frameType.pushPromise:
        throw new ConnectionError(errorCode.protocolError, 'a client must not push')
      case frameType.ping:
        return onPing(c, id, flags, payload)
      case frameType.goAway:
        return onGoAway(c, id, payload)
      case frameType.windowUpdate:
        return onWindowUpdate(c, id, payload)
      case frameType.continuation:
        return onContinuation(c, id, flags, payload)
      default:
        return c.allowance.spend(cost.idleFrame) // unknown types are ignored (RFC 9113 4.1)
    }
  }
}
