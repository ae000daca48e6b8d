// The listener for an ordinary `http.Server` (Express, ws), which clients reach over HTTP/1.1 and HTTP/2. Express can't
// use node:http2's objects. So an HTTP/2 request is forwarded to the same server as HTTP/1.1, over a pair of streams
// within the process (docs/architecture.md 7).
import { request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, Server } from 'node:http'
import { constants } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { pipeline } from 'node:stream'
import { dropBytesMax, withDefaults } from './bounds.ts'
import type { Timeouts } from './bounds.ts'
import { createInProcessConnection } from './in-process.ts'
import { openPort } from './open-port.ts'
import type { Crowd } from './open-port.ts'
import { drain } from './read-body.ts'
import { nodeHttp2 } from './servers.ts'
import type { Listener, Tls } from './types.ts'

export type ListenNodeOptions = Crowd & {
  host?: string
  port: number
  tls?: Tls
  server: Server
  timeouts?: Partial<Timeouts>
}

/** Headers of a single HTTP/1.1 connection, which HTTP/2 forbids (RFC 9113 8.2.2). */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

export function listenNode({ server, ...where }: ListenNodeOptions): Promise<Listener> {
  const timeouts = withDefaults(where.timeouts)
  const http2 = nodeHttp2(timeouts, (stream, headers, rawHeaders) => {
    try {
      forward({ server, stream, headers, rawHeaders, timeouts })
    } catch {
      refuse(stream, 400) // a header that HTTP/1.1 can't carry
    }
  })
  return openPort({ ...where, timeouts, http1: server, http2 })
}

type Forwarding = {
  server: Server
  stream: ServerHttp2Stream
  headers: IncomingHttpHeaders
  rawHeaders: readonly string[]
  timeouts: Timeouts
}

function forward({ server, stream, headers, rawHeaders, timeouts }: Forwarding): void {
  const method = headers[':method'] ?? ''
  const path = headers[':path'] ?? '/'
  if (method === 'CONNECT' || method === '') return refuse(stream, 405)
  if (!/^[\x21-\x7e]+$/.test(path)) return refuse(stream, 400)
  const { clientEnd, serverEnd } = createInProcessConnection(stream.session)
  const outgoing = httpRequest({
    createConnection: () => clientEnd,
    method,
    path,
    headers: requestHeaders(rawHeaders, !stream.endAfterHeaders),
  })
  outgoing.on('error', () => refuse(stream, 502))
  outgoing.on('response', (response) => {
    answer(stream, response)
    response.once('end', () => dropRest(stream, outgoing, timeouts))
  })
  stream.on('close', () => {
    outgoing.destroy()
    serverEnd.destroy() // shows the server that the client is gone
  })
  server.emit('connection', serverEnd)
  outgoing.flushHeaders() // the body may take long
  stream.pipe(outgoing)
}

function answer(stream: ServerHttp2Stream, response: IncomingMessage): void {
  if (stream.destroyed || stream.closed) return void response.resume()
  const headers: OutgoingHttpHeaders = { ':status': response.statusCode }
  for (const [name, value] of Object.entries(response.headers))
    if (!connectionHeaders.has(name)) headers[name] = value
  try {
    stream.respond(headers)
  } catch {
    response.resume()
    return refuse(stream, 502) // a header that HTTP/2 can't carry
  }
  pipeline(response, stream, (error) => {
    if (error && !stream.destroyed) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  })
}

/** Drops the rest of the body, which isn't needed after the server's response. */
function dropRest(stream: ServerHttp2Stream, outgoing: ClientRequest, timeouts: Timeouts): void {
  stream.unpipe(outgoing)
  void drain(stream, {
    bytesMax: dropBytesMax,
    timeoutMs: timeouts.bodyTimeoutMs,
    cut: () => stream.close(constants.NGHTTP2_NO_ERROR),
  })
}

/** Returns a list: name, value, name, value, … with repeated headers. */
function requestHeaders(rawHeaders: readonly string[], hasBody: boolean): string[] {
  const headers = ['connection', 'close']
  let authority: string | undefined
  let host: string | undefined
  let hasLength = false
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    if (name === ':authority') authority = value
    else if (name === 'host') host ??= value
    if (name.startsWith(':') || name === 'host' || name === 'expect') continue
    if (connectionHeaders.has(name)) continue
    hasLength ||= name === 'content-length'
    headers.push(name, value)
  }
  headers.push('host', authority ?? host ?? '')
  // Without a content-length or transfer-encoding, Node sends the body of a GET unframed, and the server would read the
  // body as the next request.
  if (hasBody && !hasLength) headers.push('transfer-encoding', 'chunked')
  return headers
}

function refuse(stream: ServerHttp2Stream, status: number): void {
  if (stream.destroyed || stream.closed) return
  if (stream.headersSent) return stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  stream.respond({ ':status': status, 'content-length': '0' }, { endStream: true })
  stream.resume()
}
