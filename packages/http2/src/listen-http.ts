// The listener of the hot path: HTTP/1.1 and HTTP/2 on one port, with one handler for all requests.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Writable } from 'node:stream'
import { headersMax, heldBytesMaxDefault, withDefaults } from './bounds.ts'
import type { Timeouts } from './bounds.ts'
import { ownHttp2 } from './h2/server.ts'
import { hasTwoHosts, twoHosts } from './node-server.ts'
import { openPort } from './open-port.ts'
import type { Crowd } from './open-port.ts'
import { writePieces } from './pieces.ts'
import { createRequest } from './request.ts'
import { respond } from './respond.ts'
import { nodeHttp2, http1Options } from './servers.ts'
import type { Handler, Listener, Tls } from './types.ts'

export type ListenOptions = Crowd & {
  host?: string
  port: number
  tls?: Tls
  handler: Handler
  /**
   * Called with errors of handlers and of the port. The client gets 500 without a body, if the response hasn't begun.
   */
  onError: (error: unknown) => void
  timeouts?: Partial<Timeouts>
  /** The HTTP/2 implementation: our own (the default), or node:http2. */
  http2?: 'own' | 'node'
  /** The body bytes that our own HTTP/2 may hold for all unanswered requests (64 MiB). */
  heldBytesMax?: number
}

type Serving = Pick<ListenOptions, 'handler' | 'onError'> & { bodyTimeoutMs: number }

export function listenHttp(options: ListenOptions): Promise<Listener> {
  const { host, port, tls, handler, onError } = options
  const timeouts = withDefaults(options.timeouts)
  const serving = { handler, onError, bodyTimeoutMs: timeouts.bodyTimeoutMs }
  const http1 = createServer(http1Options(timeouts), (req, res) => serveHttp1(serving, req, res))
  // Node drops headers beyond this maximum. The one above our limit shows that there were too many.
  http1.maxHeadersCount = headersMax + 1
  const http2 =
    options.http2 === 'node'
      ? nodeHttp2(timeouts, (stream, headers, rawHeaders) =>
          serveHttp2(serving, stream, headers, rawHeaders),
        )
      : ownHttp2({
          handler,
          onError,
          timeouts,
          heldBytesMax: options.heldBytesMax ?? heldBytesMaxDefault,
        })
  const { connectionsMax, isProxy } = options
  return openPort({ host, port, tls, http1, http2, onError, timeouts, connectionsMax, isProxy })
}

function serveHttp1(serving: Serving, req: IncomingMessage, res: ServerResponse): void {
  const request = createRequest({
    method: req.method ?? '',
    target: req.url ?? '',
    rawHeaders: req.rawHeaders,
    stream: req,
    isComplete: () => req.complete,
    bodyTimeoutMs: serving.bodyTimeoutMs,
    cut: () => afterAnswer(res, () => req.destroy()),
  })
  const hasTooManyHeaders = req.rawHeaders.length > 2 * headersMax
  void respond(request, {
    handler: hasTooManyHeaders
      ? () => ({ status: 431 })
      : hasTwoHosts(req.rawHeaders)
        ? () => ({ status: 400, body: twoHosts })
        : serving.handler,
    onError: serving.onError,
    send: ({ status, headers, body }) => void res.writeHead(status, headers).end(body),
    sendPieces({ status, headers }, pieces) {
      res.writeHead(status, headers)
      return writePieces(res, pieces, serving.bodyTimeoutMs)
    },
    endPieces: () => void res.end(),
    abandon: () => void res.destroy(),
  })
}

function serveHttp2(
  serving: Serving,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): void {
  const request = createRequest({
    method: headers[':method'] ?? '',
    target: headers[':path'] ?? '',
    rawHeaders,
    stream,
    // A reset without an error code looks like the end of the body, but it also closes the stream.
    isComplete: () => !stream.closed,
    bodyTimeoutMs: serving.bodyTimeoutMs,
    cut: () => afterAnswer(stream, () => stream.close(constants.NGHTTP2_NO_ERROR)),
  })
  void respond(request, {
    handler: serving.handler,
    onError: serving.onError,
    send: (answer) => {
      if (stream.destroyed || stream.closed) return
      const endStream = answer.body === undefined || request.method === 'HEAD'
      stream.respond({ ':status': answer.status, ...answer.headers }, { endStream })
      if (!endStream) stream.end(answer.body)
    },
    async sendPieces({ status, headers: answered }, pieces) {
      if (stream.destroyed || stream.closed) return
      stream.respond({ ':status': status, ...answered })
      await writePieces(stream, pieces, serving.bodyTimeoutMs)
    },
    endPieces: () => void stream.end(),
    abandon() {
      // Closing the stream would first end the response as if it were complete.
      if (stream.headersSent) stream.destroy(new Error('the answer broke off'))
      else stream.close(constants.NGHTTP2_CANCEL)
    },
  })
}

/** Calls `end` when the response has been sent. */
function afterAnswer(response: Writable, end: () => void): void {
  if (response.writableFinished || response.destroyed) end()
  else response.once('finish', end)
}
