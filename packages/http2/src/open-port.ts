// One port for HTTP/1.1 and HTTP/2, chosen by ALPN with TLS, and by the first bytes without TLS (sniff.ts). Each
// connection goes to the server of its protocol, and is closed together with the port.
import type { Server as Http1Server } from 'node:http'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { delay } from '@weir/kit'
import { connectionsMaxDefault } from './bounds.ts'
import type { Timeouts } from './bounds.ts'
import { createDoor } from './door.ts'
import { sniff } from './sniff.ts'
import type { Listener, Tls } from './types.ts'

const graceMsDefault = 5_000
const unusedGraceMs = 500
const idleCheckMs = 50
/**
 * An HTTP/1.1 client learns from its next response that the connection ends. When an idle connection is closed, a
 * request that is already on its way is lost (RFC 9112 9.5). So connections that were used stay open for this time.
 */
const politeMsMax = 2_000

/** The HTTP/2 implementation for the port's connections. */
export type Http2Side = {
  accept(socket: net.Socket): void
  /** Completes open requests and takes no more. */
  finish(): void
}

export type Crowd = {
  /** The maximum of concurrent connections. One address may have a tenth of them. */
  connectionsMax?: number | undefined
  /** Returns true for a proxy, which has many clients. */
  isProxy?: ((address: string) => boolean) | undefined
}

export type PortOptions = Crowd & {
  host?: string | undefined
  port: number
  tls?: Tls | undefined
  http1: Http1Server
  http2: Http2Side
  timeouts: Timeouts
  /** Called if the port itself fails, for example without free file descriptors. */
  onError?: (error: unknown) => void
}

export async function openPort(options: PortOptions): Promise<Listener> {
  const { http1, http2, onError, connectionsMax = connectionsMaxDefault } = options
  const mayEnter = createDoor({ connectionsMax, isProxy: options.isProxy ?? (() => false) })
  const connections = trackConnections(http1, http2)
  // `http1` never listens itself, but this event starts its time-outs for slow heads.
  http1.emit('listening')
  const server = createPort(options, connections.markUsed)
  server.maxConnections = connectionsMax
  // includes connections in their TLS handshake
  server.on('connection', (socket) => {
    connections.track(socket)
    if (!mayEnter(socket)) socket.destroy()
  })
  const port = await listen(server, options)
  server.on('error', (error) => onError?.(error))

  const close = async (graceMs = graceMsDefault): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    connections.finish()
    const politeUntilMs = performance.now() + Math.min(politeMsMax, graceMs / 2)
    const idle = setInterval(() => {
      if (performance.now() >= politeUntilMs) http1.closeIdleConnections()
    }, idleCheckMs)
    const inTime = new AbortController()
    await Promise.race([closed, delay(graceMs, inTime.signal).catch(() => {})])
    inTime.abort()
    clearInterval(idle)
    connections.cut()
    await closed
    http1.close()
  }
  let closing: Promise<void> | undefined
  return { port, close: (graceMs) => (closing ??= close(graceMs)) }
}

function createPort(options: PortOptions, markUsed: (socket: net.Socket) => void): net.Server {
  const { http1, http2, timeouts, tls: secure } = options
  const hand = (socket: net.Socket, isHttp2: boolean): void => {
    markUsed(socket)
    if (isHttp2) http2.accept(socket)
    else http1.emit('connection', socket)
  }
  if (secure === undefined)
    return net.createServer((socket) =>
      sniff(socket, timeouts.firstBytesTimeoutMs, (isHttp2) => hand(socket, isHttp2)),
    )
  const { cert, key } = secure
  const tlsOptions = {
    cert,
    key,
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: timeouts.firstBytesTimeoutMs,
  }
  const server = tls.createServer(tlsOptions, (socket) => {
    socket.on('error', () => {})
    hand(socket, socket.alpnProtocol === 'h2')
  })
  secure.onChange?.((pair) => server.setSecureContext({ cert: pair.cert, key: pair.key }))
  return server.on('tlsClientError', (_error: Error, socket: net.Socket) => socket.destroy())
}

function trackConnections(http1: Http1Server, http2: Http2Side) {
  const sockets = new Set<net.Socket>()
  const unused = new Set<net.Socket>()
  let isFinishing = false
  http1.prependListener('request', (_req, res) => {
    if (isFinishing) res.shouldKeepAlive = false
  })
  return {
    track(socket: net.Socket): void {
      sockets.add(socket)
      unused.add(socket)
      socket.on('close', () => {
        sockets.delete(socket)
        unused.delete(socket)
      })
      socket.on('error', () => {}) // the protocol's server gets the error, too, and handles it
      socket.setNoDelay(true)
    },
    /** Call when the connection's protocol is known, because a request may be open from then on. */
    markUsed: (socket: net.Socket) => void unused.delete(socket),
    finish(): void {
      isFinishing = true
      http2.finish()
      // A first request may already be on its way on these connections, so they are closed only after this time.
      setTimeout(() => {
        for (const socket of unused) socket.destroy()
      }, unusedGraceMs).unref()
    },
    cut(): void {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function listen(server: net.Server, { host, port }: PortOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
