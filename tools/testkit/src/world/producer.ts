// A client of ingest: one HTTP/2 connection with prior knowledge, and as many concurrent requests as the connection
// permits.
import * as http2 from 'node:http2'

export type ProducerAnswer = { status: number; headers: http2.IncomingHttpHeaders; body: string }
export type SendOptions = {
  token?: string
  schemaId?: string
  path?: string
  method?: string
  headers?: http2.OutgoingHttpHeaders
}
export type Producer = {
  /** Rejects if the connection or the request fails. */
  send(body: string | Buffer | object, options: SendOptions): Promise<ProducerAnswer>
  close(): void
}

const timeoutMs = 30_000

export async function connectProducer(ingestUrl: string): Promise<Producer> {
  const session = http2.connect(ingestUrl)
  await new Promise((resolve, reject) =>
    session.once('remoteSettings', resolve).once('error', reject),
  )
  session.on('error', () => {}) // every request gets the error
  return {
    send(body, { token, schemaId, path = '/event', method = 'POST', headers = {} }) {
      const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
      return new Promise((resolve, reject) => {
        const stream = session.request({
          ':method': method,
          ':path': path,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(schemaId === undefined ? {} : { 'svc-schema-id': schemaId }),
          ...headers,
        })
        stream.setTimeout(timeoutMs, () => stream.destroy(new Error('no answer from ingest')))
        let answer: http2.IncomingHttpHeaders | undefined
        let text = ''
        stream.setEncoding('utf8')
        stream.on('response', (received) => (answer = received))
        stream.on('data', (chunk: string) => (text += chunk))
        stream.on('error', reject)
        stream.on('close', () => {
          if (answer === undefined) reject(new Error('the request was cut off'))
          else resolve({ status: Number(answer[':status']), headers: answer, body: text })
        })
        stream.end(bytes)
      })
    },
    close: () => session.destroy(),
  }
}
