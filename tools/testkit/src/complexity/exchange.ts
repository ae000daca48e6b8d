// Sends the bytes of one request on a new connection, for requests that no well-behaved client would send.
import * as net from 'node:net'
import { withTimeout } from '@weir/kit'

const timeoutMs = 60_000

export type ExchangeRequest = {
  readonly method?: string
  readonly path: string
  /** Pairs of name and value, as on the wire. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: Buffer | string
}

const isUpgrade = (headers: NonNullable<ExchangeRequest['headers']>): boolean =>
  headers.some(([name]) => name === 'upgrade')

/** Returns an HTTP/1.1 request that closes its connection, unless it is an upgrade. */
export function requestBytes({
  method = 'POST',
  path,
  headers = [],
  body = '',
}: ExchangeRequest): Buffer {
  const bytes = Buffer.from(body)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: weir.test',
    ...(isUpgrade(headers) ? ['connection: upgrade'] : ['connection: close']),
    ...(bytes.length === 0 ? [] : [`content-length: ${bytes.length}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes])
}

/** Resolves with all received bytes once the server has closed the connection. */
export async function exchange(url: string, bytes: Buffer): Promise<Buffer> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => {}) // the connection may be closed before everything is sent
    socket.on('close', () => resolve())
  })
  socket.write(bytes)
  try {
    await withTimeout(closed, timeoutMs, 'the end of the connection')
  } finally {
    socket.destroy()
  }
  return Buffer.concat(received)
}

export const exchangeStatusOf = (answer: Buffer): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(answer.toString('latin1', 0, 12))?.[1] ?? 0)
