// Node's two HTTP servers with the limits of all our listeners.
import type { ServerOptions } from 'node:http'
import * as http2 from 'node:http2'
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { concurrentStreamsMax, headerBytesMax, headersMax, sessionMebibytesMax } from './bounds.ts'
import type { Timeouts } from './bounds.ts'
import type { Http2Side } from './open-port.ts'

export const http1Options = (timeouts: Timeouts): ServerOptions => ({
  maxHeaderSize: headerBytesMax,
  headersTimeout: Math.min(timeouts.firstBytesTimeoutMs, timeouts.bodyTimeoutMs),
  // the reading of a body has its own time-out, and a body in pieces may take long
  requestTimeout: 0,
  keepAliveTimeout: timeouts.idleTimeoutMs,
  connectionsCheckingInterval: Math.ceil(timeouts.firstBytesTimeoutMs / 10),
})

export type OnStream = (
  stream: ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  /** Name, value, name, value, … with repeated headers. */
  rawHeaders: readonly string[],
) => void

export function nodeHttp2(timeouts: Timeouts, onStream: OnStream): Http2Side {
  const sessions = new Set<ServerHttp2Session>()
  const server = http2.createServer({
    settings: { maxConcurrentStreams: concurrentStreamsMax, maxHeaderListSize: headerBytesMax },
    maxHeaderListPairs: headersMax,
    maxSessionMemory: sessionMebibytesMax,
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    endUnused(session, timeouts)
    session.on('error', () => {}) // the peer caused the error, and the session is over anyway
    session.setTimeout(timeouts.idleTimeoutMs, () => endIdle(session, timeouts))
  })
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers, _flags, rawHeaders) => {
    stream.on('error', () => {}) // the client has reset the stream
    if (isTooLarge(rawHeaders)) return refuse(stream)
    if (headers.expect?.toLowerCase() === '100-continue')
      stream.additionalHeaders({ ':status': 100 })
    onStream(stream, headers, rawHeaders)
  })
  return {
    accept: (socket) => void server.emit('connection', socket),
    finish() {
      for (const session of sessions) session.close()
    },
  }
}

/** Ends connections that send frames but no requests, even in an endless header block. */
function endUnused(session: ServerHttp2Session, timeouts: Timeouts): void {
  let open = 0
  const timer = setTimeout(() => {
    if (open === 0) endIdle(session, timeouts)
  }, timeouts.idleTimeoutMs)
  session.on('stream', (stream) => {
    open += 1
    stream.once('close', () => {
      open -= 1
      timer.refresh()
    })
  })
  session.once('close', () => clearTimeout(timer))
}

/** `close` alone would wait forever for a client that doesn't read its responses. */
function endIdle(session: ServerHttp2Session, { bodyTimeoutMs }: Timeouts): void {
  session.close()
  const timer = setTimeout(() => session.destroy(), bodyTimeoutMs)
  session.once('close', () => clearTimeout(timer))
}

/** A client may exceed our setting until it has acknowledged the setting. Counts as RFC 9113 6.5.2 defines. */
function isTooLarge(rawHeaders: readonly string[]): boolean {
  let bytes = 16 * rawHeaders.length
  for (const text of rawHeaders) bytes += text.length
  return bytes > headerBytesMax
}

function refuse(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 431, 'content-length': '0' }, { endStream: true })
  stream.close(http2.constants.NGHTTP2_NO_ERROR)
}
