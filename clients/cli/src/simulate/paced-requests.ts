// Sends requests at a fixed rate over HTTP/2, without waiting for responses. A response time is measured from when the
// request was due, even if it was sent later because the service stalled.
import { connect } from 'node:http2'
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { unreachable } from '../api/request.ts'

export type PacedAnswer = {
  readonly status: number
  readonly text: string
  /** From when the request was due. */
  readonly ms: number
  /** From when the request was sent. */
  readonly sentMs: number
}

export type Paced = {
  readonly url: URL
  readonly rate: number
  readonly durationMs: number
  readonly headers: () => Promise<OutgoingHttpHeaders>
  readonly body: () => string
  readonly onAnswer: (answer: PacedAnswer) => void
  readonly signal: AbortSignal
}

const connections = 2
/** The services' limit of concurrent requests per connection. */
const streamsMax = 100
const textMax = 2_000
const tickMs = 5
const answerWithinMs = 30_000

/** Resolves when each sent request has its response, or after a time-out. @throws CliError when a connection ends */
export async function sendPaced(paced: Paced): Promise<void> {
  const { url, rate, durationMs, signal } = paced
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(url)))
  try {
    const startedAt = performance.now()
    const total = Math.round((rate * durationMs) / 1_000)
    let sent = 0
    while (sent < total && !signal.aborted) {
      const headers = await paced.headers()
      const due = Math.min(total, ((performance.now() - startedAt) / 1_000) * rate)
      while (sent < due) {
        const line = lines.find((each) => each.underWay < streamsMax)
        if (line === undefined) break
        const dueAt = startedAt + (sent / rate) * 1_000
        send(line, { headers, dueAt, paced })
        sent += 1
      }
      for (const line of lines) line.check()
      await delay(tickMs)
    }
    const endAt = performance.now() + answerWithinMs
    while (lines.some((line) => line.underWay > 0) && performance.now() < endAt) {
      for (const line of lines) line.check()
      await delay(tickMs)
    }
  } finally {
    for (const line of lines) line.session.destroy()
  }
}

type Line = {
  readonly session: ClientHttp2Session
  underWay: number
  /** Throws the error that ended the connection. */
  check(): void
}

async function openLine(url: URL): Promise<Line> {
  const session = connect(url.origin)
  let ended: unknown
  const { promise, resolve } = Promise.withResolvers<void>()
  session.once('connect', () => resolve())
  session.on('error', (error: Error) => {
    ended = error
    resolve()
  })
  session.on('close', () => (ended ??= new Error('the connection ended')))
  await promise
  const line: Line = {
    session,
    underWay: 0,
    check() {
      if (ended !== undefined) throw unreachable(url, ended)
    },
  }
  line.check()
  return line
}

function send(
  line: Line,
  { headers, dueAt, paced }: { headers: OutgoingHttpHeaders; dueAt: number; paced: Paced },
): void {
  const body = Buffer.from(paced.body())
  const sentAt = performance.now()
  let answeredAt: number | undefined
  const stream = line.session.request({ ...headers, 'content-length': body.length })
  let status = 0
  let text = ''
  line.underWay += 1
  stream.setEncoding('utf8')
  stream.on('response', (answer) => {
    status = Number(answer[':status'])
    answeredAt = performance.now()
  })
  stream.on('data', (piece: string) => (text = (text + piece).slice(0, textMax)))
  stream.on('error', () => undefined)
  stream.on('close', () => {
    line.underWay -= 1
    const endedAt = answeredAt ?? performance.now()
    paced.onAnswer({ status, text, ms: endedAt - dueAt, sentMs: endedAt - sentAt })
  })
  stream.end(body)
}
