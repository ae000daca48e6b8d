// Decides what follows after a WebSocket to output ended or was refused (docs/errors.md, WebSocket): connect again, get
// a new token first, or end with an error. Pure.
import { wrongAddress } from '../address.ts'
import { RejectedError, rejectionCodeOf } from '../errors.ts'
import { memberOf, tryParseJson } from '../json.ts'
import { retryAfterMsOf } from '../retries.ts'

export type Ending =
  | {
      readonly kind: 'again'
      readonly reason: string
      readonly cause?: unknown
      readonly afterMs: number | undefined
    }
  | { readonly kind: 'token'; readonly reason: string }
  | { readonly kind: 'final'; readonly error: RejectedError }

export type Refused = {
  /** The origin of output's address, for messages. */
  readonly origin: string
  readonly status: number
  readonly code: unknown
  readonly retryAfter: unknown
  readonly text: string
}

export function endingOfClose(code: number, reason: string): Ending {
  switch (code) {
    case 4401:
      return { kind: 'token', reason: 'the token expired, or its credentials were revoked' }
    case 4403:
      return final('stream_disabled', 'The stream is disabled')
    case 4410:
      return final('not_found', 'The stream has been deleted')
    default:
      return {
        kind: 'again',
        reason: reason === '' ? `closed (${code})` : reason,
        afterMs: undefined,
      }
  }
}

export function endingOfRefusal(
  { origin, status, code, retryAfter, text }: Refused,
  nowMs: number,
): Ending {
  const said = saidIn(text)
  const reason = said === '' ? `the response is ${status}` : said
  if (status === 401) return { kind: 'token', reason }
  const isFinal = status >= 300 && status < 500 && ![408, 425, 429].includes(status)
  if (isFinal) {
    // Output never returns 404 at /ws, so another server has this address.
    const message = status === 404 ? wrongAddress('output', origin, reason) : reason
    return { kind: 'final', error: new RejectedError(rejectionCodeOf(code), message, status) }
  }
  return { kind: 'again', reason, afterMs: retryAfterMsOf(retryAfter, nowMs) }
}

/** Auth returns a JSON document with `detail`, ingest and output return one line. */
function saidIn(text: string): string {
  const detail = memberOf(tryParseJson(text), 'detail')
  return typeof detail === 'string' ? detail : text.trim()
}

const final = (code: 'stream_disabled' | 'not_found', message: string): Ending => ({
  kind: 'final',
  error: new RejectedError(code, message),
})
