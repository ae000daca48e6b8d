// Handles the frames that aren't part of a request: settings, windows, pings, resets, priorities, the peer's GOAWAY
// (RFC 9113 6.3 to 6.9). Nearly all cost some of the connection's allowance.
import { cost } from './bounds/allowance.ts'
import { sendAllBodies, sendBody } from './answers.ts'
import { closeStream, endConnection, noticePing, refuseStreams } from './ends.ts'
import {
  ConnectionError,
  errorCode,
  flagOf,
  frameType,
  StreamError,
  windowMax,
} from './frames/frames.ts'
import { onNudged } from './nudge.ts'
import { readSettings } from './frames/peer-settings.ts'
import { openStream } from './requests.ts'
import type { ConnectionState } from './state.ts'

const smallBytes = 64

export function onSettings(c: ConnectionState, id: number, flags: number, payload: Buffer): void {
  if (id !== 0)
    throw new ConnectionError(errorCode.protocolError, 'SETTINGS must not name a stream')
  if ((flags & flagOf.ack) !== 0) return onSettingsAck(c, payload)
  c.allowance.spend(cost.settings)
  const before = c.peer.initialWindow
  c.peer = readSettings(payload, c.peer)
  const change = c.peer.initialWindow - before
  if (change !== 0)
    for (const stream of c.streams.values()) {
      stream.sendWindow += change
      if (stream.sendWindow > windowMax)
        throw new ConnectionError(errorCode.flowControlError, 'a window is too large')
    }
  c.output.frame({ length: 0, type: frameType.settings, flags: flagOf.ack, stream: 0 })
  if (change > 0) sendAllBodies(c)
}

function onSettingsAck(c: ConnectionState, payload: Buffer): void {
  if (payload.length > 0)
    throw new ConnectionError(errorCode.frameSizeError, 'an acknowledgement is empty')
  if (c.hasSettingsAck) c.allowance.spend(cost.idleFrame)
  c.hasSettingsAck = true
}

export function onWindowUpdate(c: ConnectionState, id: number, payload: Buffer): void {
  if (payload.length !== 4)
    throw new ConnectionError(errorCode.frameSizeError, 'a WINDOW_UPDATE has four bytes')
  const credit = payload.readUInt32BE(0) & windowMax
  c.allowance.spend(id !== 0 && credit < smallBytes ? cost.smallWindowUpdate : cost.windowUpdate)
  if (id === 0) return widenConnection(c, credit)
  const stream = openStream(c, id)
  if (stream === undefined) return
  if (credit === 0) throw new StreamError(errorCode.protocolError, 'a window increment of 0')
  stream.sendWindow += credit
  if (stream.sendWindow > windowMax)
    throw new StreamError(errorCode.flowControlError, 'the window is too large')
  if (stream.unsent.length > 0) sendBody(c, stream)
}

function widenConnection(c: ConnectionState, credit: number): void {
  if (credit === 0) throw new ConnectionError(errorCode.protocolError, 'a window increment of 0')
  c.sendWindow += credit
  if (c.sendWindow > windowMax)
    throw new ConnectionError(errorCode.flowControlError, 'the window is too large')
  sendAllBodies(c)
}

export function onPing(c: ConnectionState, id: number, flags: number, payload: Buffer): void {
  if (id !== 0) throw new ConnectionError(errorCode.protocolError, 'PING must not name a stream')
  if (payload.length !== 8)
    throw new ConnectionError(errorCode.frameSizeError, 'a PING has eight bytes')
  if ((flags & flagOf.ack) !== 0 && onNudged(c, payload)) return
  c.allowance.spend(cost.ping)
  if ((flags & flagOf.ack) === 0)
    c.output.frame({ length: 8, type: frameType.ping, flags: flagOf.ack, stream: 0 }, payload)
  else if (c.hasNotice && payload.equals(noticePing)) refuseStreams(c)
}

export function onReset(c: ConnectionState, id: number, payload: Buffer): void {
  if (payload.length !== 4)
    throw new ConnectionError(errorCode.frameSizeError, 'a RST_STREAM has four bytes')
  if (id === 0) throw new ConnectionError(errorCode.protocolError, 'RST_STREAM needs a stream')
  const stream = openStream(c, id)
  c.allowance.spend(stream === undefined ? cost.idleFrame : cost.reset)
  if (stream !== undefined) closeStream(c, stream)
}

export function onPriority(c: ConnectionState, id: number, payload: Buffer): void {
  if (id === 0) throw new ConnectionError(errorCode.protocolError, 'PRIORITY needs a stream')
  c.allowance.spend(cost.priority)
  if (payload.length !== 5)
    throw new StreamError(errorCode.frameSizeError, 'a PRIORITY has five bytes')
  if ((payload.readUInt32BE(0) & windowMax) === id)
    throw new StreamError(errorCode.protocolError, 'a stream depends on itself')
}

export function onGoAway(c: ConnectionState, id: number, payload: Buffer): void {
  if (id !== 0) throw new ConnectionError(errorCode.protocolError, 'GOAWAY must not name a stream')
  if (payload.length < 8)
    throw new ConnectionError(errorCode.frameSizeError, 'the GOAWAY is cut off')
  c.allowance.spend(cost.idleFrame)
  c.isPeerLeaving = true
  if (c.streams.size === 0) endConnection(c, errorCode.noError)
}
