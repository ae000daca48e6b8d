// Refusals of a WebSocket upgrade: plain HTTP answers on the bare socket, since there is no response
// object for an upgrade.
import type { Duplex } from 'node:stream'
import { helpLink } from '@weir/kit'

const reasons = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  503: 'Service Unavailable',
} as const

export type UpgradeRefusal = {
  status: keyof typeof reasons
  code: string
  message: string
}

type Told = UpgradeRefusal & {
  /** Of its code. */
  readonly page: string
  /** Where it is in the log. */
  readonly requestId?: string
}

export function refuseUpgrade(socket: Duplex, refusal: Told): void {
  const { status, code, message, page, requestId } = refusal
  const body = `${message}\n`
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Svc-Error: ${code}`,
    `Link: ${helpLink(page)}`,
    ...(status === 401 ? ['WWW-Authenticate: Bearer error="invalid_token"'] : []),
    ...(requestId === undefined ? [] : [`Svc-Request-Id: ${requestId}`]),
    ...(status === 503 ? ['Retry-After: 1'] : []),
  ]
  socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
