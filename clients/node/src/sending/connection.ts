// Keeps one HTTP/2 connection to ingest, and replaces it after it has ended. For each request, returns the response, or
// whether ingest may have stored the events. Never sends a request twice.
import * as http2 from 'node:http2'
import { reasonOf, troubleReaching, wrongAddress } from '../address.ts'
import type { Trouble } from '../address.ts'
import { memberOf, tryParseJson } from '../json.ts'
import { trust } from '../trust.ts'
import type { Answer, NoAnswer } from './outcomes.ts'

export type ConnectionOptions = {
  readonly url: URL
  readonly ca: string | Uint8Array | undefined
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
}
export type IngestRequest = {
  readonly path: string
  readonly headers: http2.OutgoingHttpHeaders
  readonly body: Buffer
}
export type Connection = {
  request(request: IngestRequest): Promise<Answer | NoAnswer>
  /** Ends all connections. Requests under way get no response. */
  close(): void
}

/** Enough for many rejected events, whose messages may quote values. */
const answerCharsMax = 32 * 2 ** 20
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = http2.constants

type Line = {
  readonly url: URL
  readonly session: http2.ClientHttp2Session
  readonly opened: Promise<void>
  /** New requests get another connection; requests under way on this one may finish. */
  retire(): void
  underWay: number
}

export function createConnection(options: ConnectionOptions): Connection {
  let current: Line | undefined
  let isClosed = false
  const lines = new Set<Line>()

  function addLine(): Line {
    const line = openLine(options, () => {
      if (current === line) current = undefined
    })
    lines.add(line)
    line.session.on('close', () => {
      lines.delete(line)
      line.retire()
    })
    return line
  }

  return {
    async request(request) {
      if (isClosed) return { trouble: 'closed', mayBeStored: false }
      const line = (current ??= addLine())
      const { requestTimeoutMs } = options
      return use(line, request, { requestTimeoutMs, isCurrent: () => current === line })
    },
    close() {
      isClosed = true
      for (const { session } of lines) session.destroy()
    },
  }
}

function openLine(options: ConnectionOptions, retire: () => void): Line {
  const { url, ca } = options
  const session = http2.connect(url, trust(ca))
  session.on('goaway', retire)
  session.on('error', retire)
  return { url, session, opened: opened(session, options.connectTimeoutMs), underWay: 0, retire }
}

/** Sends a request. Keeps the process alive only while a request is under way. */
async function use(
  line: Line,
  request: IngestRequest,
  { requestTimeoutMs, isCurrent }: { requestTimeoutMs: number; isCurrent: () => boolean },
): Promise<Answer | NoAnswer> {
  const { url, session } = line
  line.underWay += 1
  session.ref()
  try {
    await line.opened
  } catch (error) {
    line.retire()
    return { ...troubleReaching('ingest', url, error), mayBeStored: false }
  }
  try {
    const answer = await ask(line, request, requestTimeoutMs)
    if (answer !== 'timeout') return answer
    // A peer that is silent for so long may be gone.
    line.retire()
    if (line.underWay === 1) session.destroy()
    const trouble = `no answer from ingest at ${url.origin} within ${requestTimeoutMs / 1_000} s`
    return { trouble, mayBeStored: true }
  } catch (error) {
    line.retire() // the session takes no further requests
    return { ...troubleReaching('ingest', url, error), mayBeStored: false }
  } finally {
    line.underWay -= 1
    if (line.underWay === 0) {
      if (isCurrent()) session.unref()
      else session.close()
    }
  }
}

function opened(session: http2.ClientHttp2Session, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      session.destroy()
      reject(new Error('no connection in time'))
    }, timeoutMs)
    session.once('connect', () => {
      clearTimeout(timer)
      resolve()
    })
    session.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    session.once('close', () => {
      clearTimeout(timer)
      reject(new Error('the connection ended'))
    })
  })
}

/** @throws Error if the session takes no further requests; then nothing was sent */
async function ask(
  { session, url }: Line,
  { path, headers, body }: IngestRequest,
  timeoutMs: number,
): Promise<Answer | NoAnswer | 'timeout'> {
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
  return new Promise((resolve) => {
    let received: http2.IncomingHttpHeaders | undefined
    let text = ''
    let isWhole = false
    let isLate = false
    let failure: unknown
    const timer = setTimeout(() => {
      isLate = true
      stream.close(NGHTTP2_CANCEL)
    }, timeoutMs)
    stream.setEncoding('utf8')
    stream.on('response', (answer) => (received = answer))
    stream.on('data', (chunk: string) => {
      text += chunk
      if (text.length > answerCharsMax) stream.close(NGHTTP2_CANCEL)
    })
    stream.on('end', () => (isWhole = true))
    stream.on('error', (error) => (failure = error)) // 'close' follows
    stream.on('close', () => {
      clearTimeout(timer)
      if (isLate) return resolve('timeout')
      // Node also emits `end` after a reset.
      const isClean = isWhole && stream.rstCode === NGHTTP2_NO_ERROR
      if (received !== undefined && isClean) return resolve(answerFrom(url, received, text))
      // A refused stream was not processed (RFC 9113 8.7).
      const isRefused = stream.rstCode === NGHTTP2_REFUSED_STREAM && received === undefined
      resolve({ ...cutOff(url, failure), mayBeStored: !isRefused })
    })
    stream.end(body)
  })
}

const cutOff = ({ origin }: URL, cause: unknown): Trouble => {
  const reason = cause === undefined ? '' : `: ${reasonOf(cause)}`
  return { trouble: `ingest at ${origin} cut the request off${reason}`, cause }
}

function answerFrom(
  { origin, pathname }: URL,
  headers: http2.IncomingHttpHeaders,
  text: string,
): Answer {
  const status = Number(headers[':status'])
  // Ingest returns one line of text. Other services of Weir return a JSON document with `detail`.
  const detail = status < 400 ? undefined : memberOf(tryParseJson(text), 'detail')
  const foreign = typeof detail === 'string' ? detail : undefined
  const wrong = foreign ?? (status === 404 ? text.trim() : undefined)
  return {
    status,
    code: headers['svc-error'],
    retryAfter: headers['retry-after'],
    text:
      wrong === undefined
        ? text
        : wrongAddress('ingest', origin + pathname.replace(/\/events?$/, ''), wrong),
  }
}
