// Sends one request to auth or output, and reads the JSON response. Uses HTTP/1.1, which every proxy understands. No
// retries.
import * as http from 'node:http'
import * as https from 'node:https'
import { troubleReaching } from './address.ts'
import { tryParseJson } from './json.ts'
import { trust } from './trust.ts'

export type JsonRequest = {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly bearer?: string
  readonly json?: unknown
  /** CA certificates to trust instead of the default ones. */
  readonly ca?: string | Uint8Array | undefined
  readonly timeoutMs: number
}
export type JsonReply = {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly json: unknown
}

/** Enough for a contract with its schema. */
const answerBytesMax = 8 * 2 ** 20

/** @throws Error with the service's address and a cause, if no complete response arrives */
export async function requestJson(
  asked: JsonRequest,
  service: 'auth' | 'output' = 'auth',
): Promise<JsonReply> {
  try {
    return await replyTo(asked)
  } catch (error) {
    const { trouble, cause } = troubleReaching(service, asked.url, error)
    throw new Error(trouble, { cause })
  }
}

function replyTo(asked: JsonRequest): Promise<JsonReply> {
  const { url, method, bearer, json, ca, timeoutMs } = asked
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json))
  const options: https.RequestOptions = {
    method,
    agent: false,
    headers: {
      accept: 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': body.length }),
    },
    signal: AbortSignal.timeout(timeoutMs),
    ...trust(ca),
  }
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:'
    const request = secure ? https.request(url, options) : http.request(url, options)
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let length = 0
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > answerBytesMax) response.destroy(new Error('the answer is too long'))
        else chunks.push(chunk)
      })
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, json: tryParseJson(Buffer.concat(chunks).toString()) })
      })
    })
    request.end(body)
  })
}
