// Refusals of a WebSocket upgrade: plain HTTP answers on the bare socket, since there is no response
// object for an upgrade.
import type { Duplex } from 'node:stream'

const reasons = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  503: 'Service Unavailable',
} as const

export type UpgradeRefusal = { status: keyof typeof reasons; code: string; message: string }

export function refuseUpgrade(socket: Duplex, { status, code, message }: UpgradeRefusal): void {
  const body = `${message}\n`
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Svc-Error: ${code}`,
    ...(status === 401 ? ['WWW-Authenticate: Bearer error="invalid_token"'] : []),
    ...(status === 503 ? ['Retry-After: 1'] : []),
  ]
  socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
