// Calls the handler of a request, and sends its response as far as the peer's windows and the socket permit. A response
// waits for the end of the request's body, unless it consists of pieces.
import { hasCode } from '@weir/kit'
import { encodeHeaders } from '../hpack/encoder.ts'
import { goneAway, isInPieces, progressBytesMin } from '../pieces.ts'
import { twoHosts } from '../node-server.ts'
import type { HttpResponse } from '../types.ts'
import { encodeAnswer } from './answer.ts'
import type { EncodedAnswer } from './answer.ts'
import { creditStream, accountFor } from './bounds/credit.ts'
import { closeStream, release, resetStream } from './ends.ts'
import { errorCode, flagOf, framePayloadMax, frameType } from './frames/frames.ts'
import type { ConnectionState } from './state.ts'
import type { H2Stream } from './stream.ts'

const failure: HttpResponse = Object.freeze({ status: 500, headers: { 'svc-error': 'internal' } })
const overlarge: HttpResponse = Object.freeze({ status: 431 })
const ambiguous: HttpResponse = Object.freeze({ status: 400, body: twoHosts })
const goOn = encodeHeaders([[':status', '100']])

export function dispatch(c: ConnectionState, stream: H2Stream): void {
  if (stream.isClosed) return
  if (stream.head.isTooLarge) return answer(c, stream, overlarge)
  if (stream.head.hasTwoHosts) return answer(c, stream, ambiguous)
  if (!stream.isEnded && stream.header('expect')?.toLowerCase() === '100-continue')
    c.output.frame(
      { length: goOn.length, type: frameType.headers, flags: flagOf.endHeaders, stream: stream.id },
      goOn,
    )
  let response: HttpResponse | Promise<HttpResponse>
  try {
    response = c.handler(stream)
  } catch (error) {
    return fail(c, stream, error)
  }
  if (!(response instanceof Promise) && !isInPieces(response.body))
    return answer(c, stream, response)
  stream.isAtWork = true
  Promise.resolve(response).then(
    (answered) => {
      if (isInPieces(answered.body) && stream.method !== 'HEAD')
        return answerInPieces(c, stream, answered)
      leave(c, stream)
      return answer(c, stream, answered)
    },
    (error: unknown) => {
      leave(c, stream)
      fail(c, stream, error)
    },
  )
}

/** Call when the stream's handler is done. */
function leave(c: ConnectionState, stream: H2Stream): void {
  stream.isAtWork = false
  if (!stream.isClosed) return
  c.orphans -= 1
  release(c, stream)
}

function fail(c: ConnectionState, stream: H2Stream, error: unknown): void {
  if (!hasCode(error, 'http2.aborted')) {
    c.onError(error)
    return answer(c, stream, failure)
  }
  if (!stream.isClosed) resetStream(c, stream, errorCode.cancel)
}

function answer(c: ConnectionState, stream: H2Stream, response: HttpResponse): void {
  if (stream.isClosed) return
  let encoded: EncodedAnswer
  try {
    encoded = encodeAnswer(response)
  } catch (error) {
    c.onError(error)
    encoded = encodeAnswer(failure)
  }
  if (stream.isEnded || stream.isCut) return send(c, stream, encoded)
  stream.dropRest(() => send(c, stream, encoded))
  accountFor(c, stream)
  creditStream(c, stream)
}

/**
 * Sends a response in pieces. It may begin before the request's body ends, but ends after it. The handler counts as
 * working until the last piece is sent. Never rejects.
 */
async function answerInPieces(
  c: ConnectionState,
  stream: H2Stream,
  response: HttpResponse,
): Promise<void> {
  try {
    if (!stream.isClosed) sendHead(c, stream, { ...encodeAnswer(response), flags: 0 })
    if (isInPieces(response.body))
      for await (const piece of response.body) await sendPiece(c, stream, piece)
  } catch (error) {
    leave(c, stream)
    const isAborted = hasCode(error, 'http2.aborted')
    if (!isAborted) c.onError(error)
    if (!stream.isClosed)
      resetStream(c, stream, isAborted ? errorCode.cancel : errorCode.internalError)
    return
  }
  leave(c, stream)
  if (stream.isClosed) return
  if (stream.isEnded || stream.isCut) return endAnswer(c, stream)
  stream.dropRest(() => endAnswer(c, stream))
  accountFor(c, stream)
  creditStream(c, stream)
}

function sendPiece(c: ConnectionState, stream: H2Stream, piece: Buffer): Promise<void> | undefined {
  if (stream.isClosed) throw goneAway()
  if (piece.length === 0) return undefined
  stream.unsent = piece
  stream.lastProgressMs = c.clock.nowMs
  return new Promise((resolve) => {
    stream.whenSent = resolve
    sendBody(c, stream)
  })
}

function endAnswer(c: ConnectionState, stream: H2Stream): void {
  const head = { length: 0, type: frameType.data, flags: flagOf.endStream, stream: stream.id }
  c.output.frame(head)
  finishStream(c, stream)
}

function sendHead(
  c: ConnectionState,
  stream: H2Stream,
  { block, hasDate, flags }: EncodedAnswer & { flags: number },
): void {
  const date = hasDate ? undefined : c.clock.date
  c.output.headers(stream.id, flagOf.endHeaders | flags, { block, date })
}

function send(c: ConnectionState, stream: H2Stream, { block, hasDate, body }: EncodedAnswer): void {
  const hasBody = body.length > 0 && stream.method !== 'HEAD'
  const flags = flagOf.endHeaders | (hasBody ? 0 : flagOf.endStream)
  c.output.headers(stream.id, flags, { block, date: hasDate ? undefined : c.clock.date })
  if (!hasBody) return finishStream(c, stream)
  stream.unsent = body
  stream.lastProgressMs = c.clock.nowMs
  return sendBody(c, stream)
}

/** Sends as much of the body as the windows and the socket permit. */
export function sendBody(c: ConnectionState, stream: H2Stream): void {
  while (stream.unsent.length > 0) {
    const room = Math.min(c.sendWindow, stream.sendWindow, framePayloadMax)
    if (room <= 0) return
    if (c.output.isFull) return c.output.whenRoom(c.onOutputRoom)
    const piece = stream.unsent.subarray(0, room)
    stream.unsent = stream.unsent.subarray(piece.length)
    c.sendWindow -= piece.length
    stream.sendWindow -= piece.length
    const isLast = stream.unsent.length === 0 && stream.whenSent === undefined
    const flags = isLast ? flagOf.endStream : 0
    c.output.bodyFrame(
      { length: piece.length, type: frameType.data, flags, stream: stream.id },
      piece,
    )
    if (piece.length >= progressBytesMin) stream.lastProgressMs = c.clock.nowMs
  }
  if (stream.whenSent === undefined) return finishStream(c, stream)
  const then = stream.whenSent
  stream.whenSent = undefined
  return then()
}

export function sendAllBodies(c: ConnectionState): void {
  for (const stream of c.streams.values()) if (stream.unsent.length > 0) sendBody(c, stream)
}

function finishStream(c: ConnectionState, stream: H2Stream): void {
  c.allowance.earn()
  if (stream.isEnded) return closeStream(c, stream)
  // the response is sent, and nobody waits for the rest of the request's body
  return resetStream(c, stream, errorCode.noError)
}
