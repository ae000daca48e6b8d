// An ordinary `http.Server` for `listenNode`, with the limits of all our listeners (servers.ts), 30 seconds for a whole
// request, and one Host.
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { withDefaults } from './bounds.ts'
import type { Timeouts } from './bounds.ts'
import { http1Options } from './servers.ts'

export type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export type NodeServerOptions = {
  onRequest: RequestListener
  onUpgrade?: OnUpgrade
  timeouts?: Partial<Timeouts>
}

export function createNodeServer({ onRequest, onUpgrade, ...more }: NodeServerOptions): Server {
  const timeouts = withDefaults(more.timeouts)
  const options = { ...http1Options(timeouts), requestTimeout: timeouts.bodyTimeoutMs }
  const server = createServer(options, (req, res) => {
    if (!hasTwoHosts(req.rawHeaders)) return onRequest(req, res)
    res.writeHead(400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    res.end(twoHosts)
  })
  if (onUpgrade === undefined) return server
  return server.on('upgrade', (request, socket, head: Buffer) => {
    if (!hasTwoHosts(request.rawHeaders)) return onUpgrade(request, socket, head)
    socket.on('error', () => {}).once('finish', () => socket.destroy())
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: ${twoHosts.length}\r\n\r\n${twoHosts}`,
    )
  })
}

export const twoHosts = 'There are several Host headers; send one\n'

/**
 * Several Host headers are refused, because components that use the first and the last would serve different hosts (RFC
 * 9112 3.2).
 */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1
  return count > 1
}
