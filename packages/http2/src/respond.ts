// Runs a handler and sends its result, for both protocols. If the handler fails, the client gets 500 without details.
import { hasCode } from '@weir/kit'
import { isInPieces } from './pieces.ts'
import type { ReadableRequest } from './request.ts'
import type { Handler, HttpResponse } from './types.ts'

export type Answer = {
  status: number
  headers: Record<string, string>
  body: string | Buffer | undefined
  /** Used instead of `body` if the length is unknown. */
  pieces?: AsyncIterable<Buffer>
}

export type Exchange = {
  handler: Handler
  onError: (error: unknown) => void
  send: (answer: Answer) => void
  /**
   * Sends the head and the pieces, without ending the response. Throws if the client goes away, or the next piece
   * fails.
   */
  sendPieces: (answer: Answer, pieces: AsyncIterable<Buffer>) => Promise<void>
  endPieces: () => void
  /** Ends the exchange without a response, or without the rest of a response. */
  abandon: () => void
}

const failure: HttpResponse = { status: 500, headers: { 'svc-error': 'internal' } }

/** Never rejects. */
export async function respond(request: ReadableRequest, exchange: Exchange): Promise<void> {
  const { onError, send, abandon } = exchange
  const answer = await answerOf(request, exchange)
  if (answer?.pieces !== undefined && request.method !== 'HEAD')
    return respondInPieces(request, exchange, answer)
  await request.dropBody()
  if (answer === undefined) return abandon()
  try {
    send(answer)
  } catch (error) {
    onError(error) // the head can't be sent, for example because it contains a line break
    sendFailure(exchange)
  }
}

async function respondInPieces(
  request: ReadableRequest,
  { sendPieces, endPieces, abandon, onError }: Exchange,
  answer: Answer,
): Promise<void> {
  try {
    if (answer.pieces !== undefined) await sendPieces(answer, answer.pieces)
  } catch (error) {
    if (!hasCode(error, 'http2.aborted')) onError(error)
    return abandon() // the head is already sent, so only disconnecting can show the failure
  }
  await request.dropBody()
  endPieces()
}

/** Returns undefined if the client is gone or was too slow. */
async function answerOf(
  request: ReadableRequest,
  { handler, onError }: Exchange,
): Promise<Answer | undefined> {
  try {
    return prepare(await handler(request))
  } catch (error) {
    if (hasCode(error, 'http2.aborted')) return undefined
    onError(error)
    return prepare(failure)
  }
}

function sendFailure({ send, abandon }: Exchange): void {
  try {
    send(prepare(failure))
  } catch {
    abandon()
  }
}

function prepare({ status, headers, body }: HttpResponse): Answer {
  if (status === 204 || status === 304) return { status, headers: { ...headers }, body: undefined }
  if (isInPieces(body)) return { status, headers: { ...headers }, body: undefined, pieces: body }
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  return {
    status,
    headers: {
      ...(typeof body === 'string' ? { 'content-type': 'text/plain; charset=utf-8' } : {}),
      ...headers,
      'content-length': String(length),
    },
    body: length === 0 ? undefined : body,
  }
}
