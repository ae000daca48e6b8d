// Clients of ingest that may misbehave. They send headers as given, including repeated ones, over HTTP/2 with prior
// knowledge and over HTTP/1.1. They use no code of the services.
import * as http from 'node:http'
import * as http2 from 'node:http2'
import * as https from 'node:https'

export type Header = readonly [name: string, value: string]
export type Sent = {
  method?: string
  path?: string
  headers?: readonly Header[]
  body?: string | Buffer
}
export type Answer = {
  status: number
  /** Returns the value of a header; several values are joined. */
  header(name: string): string | undefined
  body: string
}
export type Client = {
  /** Rejects if the connection ends before the response is complete. */
  send(request: Sent): Promise<Answer>
  close(): void
}
type Connect = (url: string, tls?: { ca: Buffer }) => Promise<Client>

const answerWithinMs = 30_000

const connectHttp2: Connect = async (url, tls) => {
  const options = { ...tls, strictSingleValueFields: false }
  const session = http2.connect(url, options)
  await new Promise((resolve, reject) => {
    session.once('remoteSettings', resolve).once('error', reject)
    session.once('close', () => reject(new Error('the connection was closed')))
  })
  session.on('error', () => {}) // every request of the session gets the error
  const authority = new URL(url).host
  const scheme = url.startsWith('https') ? 'https' : 'http'
  return {
    send: ({ method = 'POST', path = '/event', headers = [], body }) =>
      new Promise((resolve, reject) => {
        const head = [':method', method, ':path', path, ':scheme', scheme, ':authority', authority]
        const stream = session.request([...head, ...headers.flat()], {
          endStream: body === undefined,
        })
        let received: http2.IncomingHttpHeaders | undefined
        const chunks: Buffer[] = []
        stream.setTimeout(answerWithinMs, () => stream.destroy(new Error('no answer')))
        stream.on('response', (answer) => (received = answer))
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('error', reject)
        stream.on('close', () => {
          if (received === undefined) return reject(new Error('the request was cut off'))
          resolve(answerOf(Number(received[':status']), received, chunks))
        })
        if (body !== undefined) stream.end(body)
      }),
    close: () => session.destroy(),
  }
}

const connectHttp1: Connect = async (url, tls) => {
  const isSecure = url.startsWith('https')
  const agent = isSecure
    ? new https.Agent({ keepAlive: true, ...tls })
    : new http.Agent({ keepAlive: true })
  const { request } = isSecure ? https : http
  return {
    send: ({ method = 'POST', path = '/event', headers = [], body }) =>
      new Promise((resolve, reject) => {
        const length = ['content-length', String(Buffer.byteLength(body ?? ''))]
        const sent = request(url, {
          agent,
          method,
          path,
          headers: ['host', new URL(url).host, ...headers.flat(), ...length],
          timeout: answerWithinMs,
        })
        sent.on('timeout', () => sent.destroy(new Error('no answer')))
        sent.on('error', reject)
        sent.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () =>
            resolve(answerOf(response.statusCode ?? 0, response.headers, chunks)),
          )
        })
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}

function answerOf(status: number, headers: http.IncomingHttpHeaders, chunks: Buffer[]): Answer {
  return {
    status,
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

export const protocols = ['HTTP/2', 'HTTP/1.1'] as const
export type Protocol = (typeof protocols)[number]

export const connect: Readonly<Record<Protocol, Connect>> = {
  'HTTP/2': connectHttp2,
  'HTTP/1.1': connectHttp1,
}
