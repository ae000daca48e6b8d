// Refuses a WebSocket upgrade with a plain HTTP response on the socket itself, because an upgrade has no response
// object. Each code has a page of its own.
import type { Duplex } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { helpLink, tooManyGuesses } from '@weir/kit'
import type { Guesses } from '@weir/kit'
import { bearerOf } from '@weir/control-state'

const reasons = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
} as const

/** All refusals of an upgrade, with their statuses. */
export const upgradeStatus = {
  invalid_token: 401,
  invalid_api_key: 401,
  role_missing: 403,
  scope_missing: 403,
  stream_disabled: 403,
  not_found: 404,
  too_many_websockets: 429,
  too_many_failures: 429,
  unavailable: 503,
} as const satisfies Record<string, keyof typeof reasons>

export type UpgradeRefusal = {
  code: keyof typeof upgradeStatus
  message: string
  retryAfterSeconds?: number
}

type Told = UpgradeRefusal & {
  /** The page that explains the code. */
  readonly page: string
  /** Identifies the refusal in the log. */
  readonly requestId?: string
}

/** Counts a wrong API key. After too many, returns the refusal `too_many_failures` instead. */
export function limitGuesses(
  guesses: Guesses,
  refusal: UpgradeRefusal,
  request: IncomingMessage,
): UpgradeRefusal {
  const { headers } = request
  // Browsers send the key as a subprotocol, and nothing else in this header varies.
  const key = bearerOf(headers.authorization) ?? headers['sec-websocket-protocol']
  if (refusal.code !== 'invalid_api_key' || key === undefined) return refusal
  const retryAfterSeconds = guesses.count(request, key)
  if (retryAfterSeconds === undefined) return refusal
  return { code: 'too_many_failures', message: tooManyGuesses, retryAfterSeconds }
}

export function refuseUpgrade(socket: Duplex, refusal: Told): void {
  const { code, message, page, requestId } = refusal
  const status = upgradeStatus[code]
  const retryAfter = refusal.retryAfterSeconds ?? (status === 503 ? 1 : undefined)
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
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
  ]
  socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
