// A request of either protocol, as handlers see it. It searches the raw headers, because parsed headers hide
// repetitions.
import type { Readable } from 'node:stream'
import { dropBytesMax } from './bounds.ts'
import { readPieces } from './pieces.ts'
import { contentLengthOf, drain, readBody } from './read-body.ts'
import type { HttpRequest } from './types.ts'

export type RawRequest = {
  method: string
  /** Path and query. */
  target: string
  /** Name, value, name, value, … */
  rawHeaders: readonly string[]
  stream: Readable
  /** Returns whether the ended stream had its complete body. */
  isComplete: () => boolean
  bodyTimeoutMs: number
  /** Ends the request after its response is sent. */
  cut: () => void
}

export type ReadableRequest = HttpRequest & {
  /**
   * Drops the unread rest of the body, up to a limit. The response waits for the body's end, because some clients hang
   * if the response comes earlier (curl 7.88 over HTTP/2).
   */
  dropBody(): Promise<void>
}

export function createRequest(raw: RawRequest): ReadableRequest {
  const { method, target, rawHeaders, stream, isComplete, bodyTimeoutMs: timeoutMs, cut } = raw
  const queryAt = target.indexOf('?')
  let isRead = false
  const header = (name: string): string | undefined => {
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (rawHeaders[at]?.toLowerCase() === name) return rawHeaders[at + 1]
    return undefined
  }
  return {
    method,
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    query: queryAt < 0 ? '' : target.slice(queryAt + 1),
    header,
    headerCount(name) {
      let count = 0
      for (let at = 0; at < rawHeaders.length; at += 2)
        if (rawHeaders[at]?.toLowerCase() === name) count += 1
      return count
    },
    body(bytesMax) {
      isRead = true
      const contentLength = contentLengthOf(header('content-length'))
      return readBody(stream, { bytesMax, timeoutMs, contentLength, isComplete, cut })
    },
    async *chunks() {
      yield* readPieces(stream, { timeoutMs, isComplete })
      isRead = true
    },
    async dropBody() {
      if (!isRead) await drain(stream, { bytesMax: dropBytesMax, timeoutMs, cut })
    },
  }
}
