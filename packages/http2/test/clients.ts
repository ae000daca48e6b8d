// Real clients for the tests. Each request has a time-out.
import * as http from 'node:http'
import type * as http2 from 'node:http2'
import * as net from 'node:net'

export type Reply = { status: number; headers: Record<string, unknown>; body: string }
export type Call = {
  method?: string
  path?: string
  headers?: http.OutgoingHttpHeaders
  body?: string | Buffer
}

export const text = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export function callHttp1(port: number, call: Call, agent?: http.Agent): Promise<Reply> {
  const { method = 'POST', path = '/', headers = {}, body } = call
  return new Promise((resolve, reject) => {
    const request = http.request({
      port,
      host: '127.0.0.1',
      method,
      path,
      headers,
      timeout: 60_000,
      ...(agent ? { agent } : {}),
    })
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error('timeout')))
    request.on('response', (response) => {
      text(response).then(
        (read) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read }),
        reject,
      )
    })
    request.end(body)
  })
}

export function callHttp2(session: http2.ClientHttp2Session, call: Call): Promise<Reply> {
  const { method = 'POST', path = '/', headers = {}, body } = call
  return new Promise((resolve, reject) => {
    const stream = session.request(
      { ':method': method, ':path': path, ...headers },
      { endStream: body === undefined },
    )
    stream.setTimeout(60_000, () => stream.destroy(new Error('timeout')))
    stream.on('error', reject).on('close', () => reject(new Error('closed without an answer')))
    stream.on('response', (received) => {
      text(stream).then(
        (read) => resolve({ status: Number(received[':status']), headers: received, body: read }),
        reject,
      )
    })
    if (body !== undefined) stream.end(body)
  })
}

/** Resolves with everything that the server sends after these bytes, until it closes or is silent for 300 ms. */
export function callRaw(port: number, pieces: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    const done = (): void => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    socket.on('error', reject)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', done)
    socket.setTimeout(300, done)
    const send = async (): Promise<void> => {
      for (const piece of pieces) await new Promise((sent) => socket.write(piece, sent))
    }
    send().catch(reject)
  })
}
