// Runs a handler and sends what comes of it, the same for both protocols. A handler that fails is our
// fault: 500, and nothing said about it.
import { hasCode } from '@weir/kit'
import type { ReadableRequest } from './request.ts'
import type { Handler, HttpResponse } from './types.ts'

export type Answer = {
  status: number
  headers: Record<string, string>
  body: string | Buffer | undefined
}

export type Exchange = {
  handler: Handler
  onError: (error: unknown) => void
  send: (answer: Answer) => void
  /** Ends the exchange without an answer. */
  abandon: () => void
}

const failure: HttpResponse = { status: 500, headers: { 'svc-error': 'internal' } }

/** Never rejects. */
export async function respond(request: ReadableRequest, exchange: Exchange): Promise<void> {
  const { onError, send, abandon } = exchange
  const answer = await answerOf(request, exchange)
  await request.dropBody()
  if (answer === undefined) return abandon()
  try {
    send(answer)
  } catch (error) {
    onError(error) // a head that can't be sent, such as one with a line break in it
    sendFailure(exchange)
  }
}

/** Undefined when the client is gone and nobody would read an answer. */
async function answerOf(
  request: ReadableRequest,
  { handler, onError }: Exchange,
): Promise<Answer | undefined> {
  try {
    return prepare(await handler(request))
  } catch (error) {
    if (hasCode(error, 'aborted')) return undefined
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
