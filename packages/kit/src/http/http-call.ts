// Sends one HTTP request, for example to the schema registry, and limits the size of the response. Doesn't use `fetch`,
// because it can't trust a CA for a single address, and follows redirects with secrets.
import * as http from 'node:http'
import * as https from 'node:https'
import { text } from 'node:stream/consumers'

import { AppError } from '../errors.ts'

export type HttpCall = {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Certificates to trust instead of Node's own list. */
  readonly ca?: string | Buffer | undefined
  readonly timeoutMs: number
}

export type HttpAnswer = { readonly status: number; readonly text: string }

const ANSWER_BYTES_MAX = 16 * 1_048_576

// Separate agents, which keep connections open, and which global settings don't affect.
const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 8 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 8 }),
}

/** Rejects with Node's error if there is no response, or with AppError `kit.answer_too_large`. */
export async function httpCall(address: URL, call: HttpCall): Promise<HttpAnswer> {
  const { method, headers, body, ca, timeoutMs } = call
  const isSecure = address.protocol === 'https:'
  const options = {
    method,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body ?? '')) },
    signal: AbortSignal.timeout(timeoutMs),
    agent: agents[isSecure ? 'https:' : 'http:'],
    ...(isSecure && ca !== undefined ? { ca } : {}),
  }
  const request = isSecure ? https.request(address, options) : http.request(address, options)
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  request.once('response', resolve)
  request.on('error', reject)
  request.end(body)
  const response = await promise
  return { status: response.statusCode ?? 0, text: await bounded(response) }
}

async function bounded(response: http.IncomingMessage): Promise<string> {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= ANSWER_BYTES_MAX) return
    response.destroy(new AppError('kit.answer_too_large', 'the answer is too large'))
  })
  return text(response)
}
