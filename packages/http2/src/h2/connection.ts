// One HTTP/2 connection (RFC 9113) on its socket: preface, reading, writing, time-outs, and the end. The rules of
// frames are in other modules.
import type { Timeouts } from '../bounds.ts'
import { HeaderBlockError } from '../hpack/decoder.ts'
import { dispatch, sendAllBodies } from './answers.ts'
import { joinBudget, leaveBudget } from './bounds/budget.ts'
import { accountFor, creditConnection, creditStream } from './bounds/credit.ts'
import { closeAll, endConnection, finishConnection, resetStream } from './ends.ts'
import { createFrameReader } from './frames/frame-reader.ts'
import { ConnectionError, errorCode, frameType, preface } from './frames/frames.ts'
import { ownSettings } from './frames/peer-settings.ts'
import { createRoute } from './route.ts'
import { createState } from './state.ts'
import type { ConnectionOptions, ConnectionState } from './state.ts'

const droppedBytesMax = 262_144

export type Connection = {
  /** Ends requests and connections that have taken too long. Called about once a second. */
  sweep(timeouts: Timeouts, elapsedMs: number): void
  /** Asks the peer to send no more requests, and ends when the open ones are answered. */
  finish(): void
}

export function acceptConnection(options: ConnectionOptions): Connection {
  const { socket, budget } = options
  const c = createState(options)
  c.onRoom = () => creditConnection(c)
  joinBudget(budget, c)
  c.onOutputRoom = () => goOn(c)
  c.onBodyWanted = (stream) => {
    accountFor(c, stream)
    creditStream(c, stream)
  }
  const read = createReader(c)
  socket.on('data', (chunk: Buffer) => onChunk(c, read, chunk))
  socket.on('error', () => {}) // a close follows
  socket.on('close', () => {
    c.isOver = true
    closeAll(c)
    leaveBudget(budget, c)
  })
  const { length } = ownSettings
  c.output.frame({ length, type: frameType.settings, flags: 0, stream: 0 }, ownSettings)
  creditConnection(c)
  return {
    sweep: (timeouts, elapsedMs) => sweep(c, timeouts, elapsedMs),
    finish: () => finishConnection(c),
  }
}

function onChunk(c: ConnectionState, read: (chunk: Buffer) => void, chunk: Buffer): void {
  if (c.isOver) return drop(c, chunk)
  try {
    read(chunk)
  } catch (error) {
    fail(c, error)
  }
  const { dispatchable } = c
  for (const stream of dispatchable) dispatch(c, stream)
  dispatchable.length = 0
  checkOutput(c)
}

/** Drops data that was on its way when we sent GOAWAY. Disconnects a peer that keeps sending. */
function drop(c: ConnectionState, chunk: Buffer): void {
  c.droppedBytes += chunk.length
  if (c.droppedBytes > droppedBytesMax) c.socket.destroy()
}

/** Stops reading from a peer that doesn't read its responses. */
function checkOutput(c: ConnectionState): void {
  if (!c.output.isFull || c.blockedSinceMs !== undefined) return
  c.blockedSinceMs = c.clock.nowMs
  c.output.whenRoom(c.onOutputRoom)
  c.socket.pause()
}

function goOn(c: ConnectionState): void {
  c.blockedSinceMs = undefined
  c.socket.resume()
  if (!c.isOver) sendAllBodies(c)
}

function fail(c: ConnectionState, error: unknown): void {
  if (error instanceof ConnectionError) return endConnection(c, error.code, error.message)
  if (error instanceof HeaderBlockError)
    return endConnection(c, errorCode.compressionError, error.message)
  c.onError(error)
  return endConnection(c, errorCode.internalError)
}

/** The returned function reads the preface, and then frames. */
function createReader(c: ConnectionState): (chunk: Buffer) => void {
  const readFrames = createFrameReader(createRoute(c))
  let beginning: Buffer | undefined = Buffer.alloc(0)
  return (chunk) => {
    if (beginning === undefined) return readFrames(chunk)
    beginning = Buffer.concat([beginning, chunk])
    const compared = Math.min(beginning.length, preface.length)
    if (beginning.compare(preface, 0, compared, 0, compared) !== 0)
      throw new ConnectionError(errorCode.protocolError, 'the preface is not that of HTTP/2')
    if (compared < preface.length) return
    const rest = beginning.subarray(preface.length)
    beginning = undefined
    return readFrames(rest)
  }
}

function sweep(c: ConnectionState, timeouts: Timeouts, elapsedMs: number): void {
  const { bodyTimeoutMs, idleTimeoutMs, firstBytesTimeoutMs } = timeouts
  const since = (thenMs: number): number => c.clock.nowMs - thenMs
  c.allowance.refill(elapsedMs)
  if (c.streams.size === 0) c.hasLargeBodies = false
  checkOutput(c)
  if (!c.hasSettings && since(c.acceptedMs) > firstBytesTimeoutMs) return void c.socket.destroy()
  if (c.block !== undefined && since(c.block.sinceMs) > firstBytesTimeoutMs)
    return endConnection(c, errorCode.enhanceYourCalm, 'the header block takes too long')
  if (c.blockedSinceMs !== undefined && since(c.blockedSinceMs) > bodyTimeoutMs)
    return void c.socket.destroy()
  for (const stream of c.streams.values()) {
    const { owedSinceMs } = stream
    const isSlow = owedSinceMs !== undefined && since(owedSinceMs) > bodyTimeoutMs
    if (isSlow && stream.isAnswered) stream.cutShort()
    else if (isSlow) resetStream(c, stream, errorCode.cancel)
    else if (stream.unsent.length > 0 && since(stream.lastProgressMs) > bodyTimeoutMs)
      resetStream(c, stream, errorCode.cancel)
  }
  // A connection without requests ends even if the peer sends frames. A connection with unsent output ends if the peer
  // sends no frames.
  const isIdle = c.streams.size === 0 && since(c.lastStreamMs) > idleTimeoutMs
  const isSilent = c.output.pendingBytes > 0 && since(c.lastFrameMs) > idleTimeoutMs
  if (isIdle || isSilent) endConnection(c, errorCode.noError)
}
