// Opens one WebSocket to output. `ended` resolves with an `Ending` (endings.ts).
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import type { RawData } from 'ws'
import { troubleReaching } from '../address.ts'
import type { CredentialsOptions } from '../credentials.ts'
import { trust } from '../trust.ts'
import { endingOfClose, endingOfRefusal } from './endings.ts'
import type { Ending } from './endings.ts'

export type SocketOptions = {
  readonly url: URL
  readonly token: string
  readonly ca: CredentialsOptions['ca']
  readonly signal: AbortSignal
  readonly onOpen: () => void
  readonly onMessage: (text: string) => void
}

const handshakeTimeoutMs = 10_000
/** Output pings every 20 s, so a connection that is silent for 60 s is lost. */
const silenceMsMax = 60_000
const goodbyeMs = 1_000
const lineCharsMax = 2_000

export function openSocket(options: SocketOptions): { socket: WebSocket; ended: Promise<Ending> } {
  const { url, token, ca, signal, onOpen, onMessage } = options
  const socket = connect(url, token, ca)
  const hangUp = (): void => {
    socket.resume()
    socket.close(1000)
    setTimeout(() => socket.terminate(), goodbyeMs).unref()
  }
  const silence = setTimeout(() => {
    // While a slow reader pauses the socket, no pings arrive. Output ends such a connection if necessary.
    if (socket.isPaused) silence.refresh()
    else socket.terminate()
  }, silenceMsMax)
  const ended = new Promise<Ending>((resolve) => {
    socket.on('open', onOpen)
    socket.on('message', (message) => onMessage(textOf(message)))
    for (const sign of ['open', 'ping', 'message']) socket.on(sign, () => silence.refresh())
    socket.on('unexpected-response', (_request, response) => {
      void refusalOf(response, url).then(resolve)
    })
    socket.on('error', (error) => {
      const { trouble: reason, cause } = troubleReaching('output', url, error)
      resolve({ kind: 'again', reason, cause, afterMs: undefined })
    })
    socket.on('close', (code, reason) => resolve(endingOfClose(code, reason.toString())))
  }).finally(() => {
    clearTimeout(silence)
    signal.removeEventListener('abort', hangUp)
    socket.terminate()
  })
  if (signal.aborted) hangUp()
  else signal.addEventListener('abort', hangUp, { once: true })
  return { socket, ended }
}

const connect = (url: URL, token: string, ca: SocketOptions['ca']): WebSocket =>
  new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: handshakeTimeoutMs,
    perMessageDeflate: false,
    ...trust(ca),
  })

async function refusalOf(response: IncomingMessage, { origin }: URL): Promise<Ending> {
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => (text = (text + chunk).slice(0, lineCharsMax)))
  await new Promise<void>((resolve) => response.once('close', resolve))
  const { statusCode: status = 0, headers } = response
  const refused = {
    origin,
    status,
    code: headers['svc-error'],
    retryAfter: headers['retry-after'],
    text,
  }
  return endingOfRefusal(refused, Date.now())
}

/** ws gives Buffers by default. */
const textOf = (message: RawData): string => (Buffer.isBuffer(message) ? message.toString() : '')
