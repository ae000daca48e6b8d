// Handles the frames of a request: HEADERS and CONTINUATION, DATA, trailers. Checks their order and form (RFC 9113 5.1,
// 6.1, 6.2, 6.10, 8.1).
import { concurrentStreamsMax, headerBytesMax } from '../bounds.ts'
import { decodeHeaders } from '../hpack/decoder.ts'
import { cost } from './bounds/allowance.ts'
import { isExhausted } from './bounds/budget.ts'
import { accountFor, creditConnection, creditStream } from './bounds/credit.ts'
import { resetStream } from './ends.ts'
import { unpadded } from './frames/frame-reader.ts'
import {
  ConnectionError,
  errorCode,
  flagOf,
  frameType,
  StreamError,
  windowMax,
} from './frames/frames.ts'
import { areTrailers } from './head/request-head.ts'
import type { RequestHead } from './head/request-head.ts'
import type { ConnectionState } from './state.ts'
import { H2Stream } from './stream.ts'

const blockBytesMax = 2 * headerBytesMax
/** Limits open streams together with handlers that still run for closed streams. */
const atWorkMax = 2 * concurrentStreamsMax
const smallBytes = 16

export function onHeaders(c: ConnectionState, id: number, flags: number, payload: Buffer): void {
  if (id % 2 === 0)
    throw new ConnectionError(errorCode.protocolError, 'a client opens streams with odd numbers')
  let piece = unpadded(flags, flagOf.padded, payload)
  if ((flags & flagOf.priority) !== 0) {
    if (piece.length < 5)
      throw new ConnectionError(errorCode.frameSizeError, 'the priority is cut off')
    if ((piece.readUInt32BE(0) & windowMax) === id)
      throw new ConnectionError(errorCode.protocolError, 'a stream depends on itself')
    piece = piece.subarray(5)
  }
  if ((flags & flagOf.endHeaders) !== 0) return onBlock(c, id, flags, piece)
  const { nowMs: sinceMs } = c.clock
  c.block = { stream: id, flags, pieces: [Buffer.from(piece)], sinceMs, bytes: piece.length }
}

export function onContinuation(
  c: ConnectionState,
  id: number,
  flags: number,
  payload: Buffer,
): void {
  const { block } = c
  if (block === undefined || block.stream !== id)
    throw new ConnectionError(errorCode.protocolError, 'a CONTINUATION without HEADERS')
  c.allowance.spend(payload.length === 0 ? cost.emptyContinuation : cost.continuation)
  block.bytes += payload.length
  if (block.bytes > blockBytesMax)
    throw new ConnectionError(errorCode.enhanceYourCalm, 'the header block is too large')
  block.pieces.push(Buffer.from(payload))
  if ((flags & flagOf.endHeaders) === 0) return
  c.block = undefined
  onBlock(c, id, block.flags, Buffer.concat(block.pieces))
}

function onBlock(c: ConnectionState, id: number, flags: number, bytes: Buffer): void {
  const isEnd = (flags & flagOf.endStream) !== 0
  const known = c.streams.get(id)
  if (known !== undefined) return onTrailers(c, known, isEnd, bytes)
  if (id <= c.lastStream) {
    const wasOpen = c.recent.closedBy(id) !== undefined
    if (c.recent.closedBy(id) === 'us') return ignoreTrailers(c, bytes)
    throw new ConnectionError(
      wasOpen ? errorCode.streamClosed : errorCode.protocolError,
      'HEADERS on a stream that has ended',
    )
  }
  // Decoded even for a refused stream, because later blocks depend on this one.
  const head = c.heads.read(bytes)
  c.lastStream = id
  if (head?.isTooLarge === true) c.allowance.spend(cost.largeHeaders)
  if (c.isFinishing) return refuse(c, id)
  if (c.streams.size >= concurrentStreamsMax || c.streams.size + c.orphans >= atWorkMax) {
    c.allowance.spend(cost.refusedStream)
    return refuse(c, id)
  }
  if (head !== undefined) return open(c, id, { head, isEnd })
  c.allowance.spend(cost.streamError)
  c.recent.add(id, 'us')
  return c.output.numberFrame(frameType.rstStream, id, errorCode.protocolError)
}

function refuse(c: ConnectionState, id: number): void {
  c.recent.add(id, 'us')
  c.output.numberFrame(frameType.rstStream, id, errorCode.refusedStream)
}

function open(
  c: ConnectionState,
  id: number,
  { head, isEnd }: { head: RequestHead; isEnd: boolean },
): void {
  const stream = new H2Stream(id, head, c)
  c.streams.add(stream)
  c.lastStreamMs = c.clock.nowMs
  c.dispatchable.push(stream)
  if (!isEnd) return
  if ((head.contentLength ?? 0) > 0)
    throw new StreamError(errorCode.protocolError, 'a body was announced and did not arrive')
  stream.end()
}

function onTrailers(c: ConnectionState, stream: H2Stream, isEnd: boolean, bytes: Buffer): void {
  const { fields, isTooLarge, changedTable } = decodeHeaders(c.decoder, bytes)
  if (changedTable) c.heads.clear()
  if (stream.isEnded)
    throw new ConnectionError(errorCode.streamClosed, 'HEADERS after the end of the stream')
  if (!isEnd || isTooLarge || !areTrailers(fields))
    throw new StreamError(
      errorCode.protocolError,
      'trailers end their stream and are ordinary fields',
    )
  checkLength(stream, true)
  accountFor(c, stream, true)
  stream.end()
}

/** Ignores trailers that the client sent before it received our reset. */
function ignoreTrailers(c: ConnectionState, bytes: Buffer): void {
  c.allowance.spend(cost.idleFrame)
  if (decodeHeaders(c.decoder, bytes).changedTable) c.heads.clear()
}

export function onData(c: ConnectionState, id: number, flags: number, payload: Buffer): void {
  if (id === 0) throw new ConnectionError(errorCode.protocolError, 'DATA needs a stream')
  c.dataFrames += 1
  c.receiveWindow -= payload.length
  c.budget.promised -= payload.length
  if (c.receiveWindow < 0)
    throw new ConnectionError(errorCode.flowControlError, 'more data than the window allows')
  creditConnection(c)
  const data = unpadded(flags, flagOf.padded, payload)
  const stream = openStream(c, id)
  if (stream === undefined) return onLateData(c, id)
  if (stream.isEnded)
    throw new StreamError(errorCode.streamClosed, 'DATA after the end of the stream')
  stream.receiveWindow -= payload.length
  if (stream.receiveWindow < 0)
    throw new StreamError(errorCode.flowControlError, 'more data than the window allows')
  receiveData(c, stream, { data, isEnd: (flags & flagOf.endStream) !== 0 })
}

function onLateData(c: ConnectionState, id: number): void {
  c.allowance.spend(cost.idleFrame)
  const by = c.recent.closedBy(id)
  if (by === 'us') return // the client sent the frame before it received our reset
  if (by === undefined)
    throw new ConnectionError(errorCode.streamClosed, 'DATA on a stream that has ended')
  c.output.numberFrame(frameType.rstStream, id, errorCode.streamClosed)
}

function receiveData(
  c: ConnectionState,
  stream: H2Stream,
  { data, isEnd }: { data: Buffer; isEnd: boolean },
): void {
  if (!isEnd) {
    if (data.length < smallBytes)
      c.allowance.spend(data.length === 0 ? cost.emptyData : cost.smallData)
    if (isExhausted(c.budget, c.heldBytes)) return resetStream(c, stream, errorCode.enhanceYourCalm)
  }
  stream.receive(data, isEnd)
  accountFor(c, stream, isEnd)
  checkLength(stream, isEnd)
  if (isEnd) return stream.end()
  if (stream.isEndless) return stream.cutShort()
  return creditStream(c, stream)
}

function checkLength({ head, bodyBytes }: H2Stream, isEnd: boolean): void {
  const { contentLength } = head
  if (contentLength === undefined) return
  if (bodyBytes > contentLength || (isEnd && bodyBytes < contentLength))
    throw new StreamError(
      errorCode.protocolError,
      'the length of the body differs from the announced length',
    )
}

/**
 * Returns undefined if the stream is already closed.
 * @throws ConnectionError if it was never open
 */
export function openStream(c: ConnectionState, id: number): H2Stream | undefined {
  const stream = c.streams.get(id)
  if (stream === undefined && (id > c.lastStream || id % 2 === 0))
    throw new ConnectionError(errorCode.protocolError, 'a frame for a stream that was never open')
  return stream
}
