// One HTTP/2 connection to a replica of ingest. It is opened again after it breaks or gets a GOAWAY. A request waits at
// most TIMEOUT_MS, because faults pause replicas. A request on a refused stream was not processed, and is sent again
// (RFC 9113 8.7). Node itself refuses a request that starts just when the GOAWAY arrives.
import * as http2 from 'node:http2'

export type EventAnswer = { readonly status: number; readonly body: string }
export type EventRequest = {
  readonly path: '/event' | '/events'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}
export type Sender = {
  /** Resolves with undefined without a complete response. */
  send(request: EventRequest): Promise<EventAnswer | undefined>
  close(): void
}

const TIMEOUT_MS = 7_000
const REFUSED_MAX = 3

/** The address may change between requests. Undefined means that the replica is down. */
export function createSender(address: () => string | undefined): Sender {
  let session: http2.ClientHttp2Session | undefined
  let sessionUrl: string | undefined

  const connected = (url: string): http2.ClientHttp2Session => {
    if (session !== undefined && !session.destroyed && !session.closed && sessionUrl === url)
      return session
    session?.destroy()
    const made = http2.connect(url)
    made.on('error', () => made.destroy())
    session = made
    sessionUrl = url
    return made
  }

  return {
    async send(request) {
      for (let refused = 0; refused <= REFUSED_MAX; refused += 1) {
        const url = address()
        if (url === undefined) return undefined
        const used = connected(url)
        const answer = await ask(used, request)
        if (answer === 'refused') continue
        if (answer === undefined) used.destroy()
        return answer
      }
      return undefined
    },
    close: () => session?.destroy(),
  }
}

function ask(
  session: http2.ClientHttp2Session,
  { path, headers, body }: EventRequest,
): Promise<EventAnswer | 'refused' | undefined> {
  return new Promise((resolve) => {
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
    const timer = setTimeout(() => stream.destroy(), TIMEOUT_MS)
    let status: number | undefined
    let text = ''
    let isWhole = false
    stream.setEncoding('utf8')
    stream.on('response', (received) => (status = received[':status']))
    stream.on('data', (chunk: string) => (text += chunk))
    stream.on('end', () => (isWhole = true))
    stream.on('error', () => {}) // 'close' follows
    stream.on('close', () => {
      clearTimeout(timer)
      const isRefused = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM
      if (isRefused && status === undefined) resolve('refused')
      else resolve(status === undefined || !isWhole ? undefined : { status, body: text })
    })
    stream.end(body)
  })
}
