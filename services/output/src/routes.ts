// What output answers to HTTP: upgrades go to the gateway, and there is nothing else.
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { Gateway } from './gateway.ts'

export function createRoutes(gateway: Pick<Gateway, 'upgrade'>): Server {
  const server = createServer((_request, response) => {
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'svc-error': 'not_found' }
    response.writeHead(404, headers)
    response.end('There is nothing here but the WebSocket at /ws\n')
  })
  return server.on('upgrade', gateway.upgrade)
}
