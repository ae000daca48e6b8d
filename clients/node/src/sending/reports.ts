// Reports failures to `onRetry` and `onError`, or to standard error. Remembers the newest trouble, which explains why
// an event was given up.
import { serviceUrl } from '../address.ts'
import type { Trouble } from '../address.ts'
import type { SendError } from '../errors.ts'
import { createNotices } from '../notices.ts'
import { isByAuth } from '../tokens.ts'
import type { Limits, ProducerOptions, Retry } from './options.ts'
import type { Pending } from './pending.ts'

export type Reports = {
  retry(retry: Retry): void
  failed(error: SendError): void
  /** Returns the newest trouble since `send` got the event. */
  troubleOf(pending: Pending): Trouble
}

type ReportOptions = Omit<ProducerOptions, 'contract'>

export function createReports(options: ReportOptions, { sendTimeoutMs }: Limits): Reports {
  const notices = createNotices()
  const ending = `It keeps trying, each event for ${sendTimeoutMs / 1_000} s.`
  const {
    onRetry = ({ trouble }) => notices(trouble, `${trouble}. ${ending}`),
    onError = (error) => notices(error.code, `send failed with ${error.code}${detailOf(error)}`),
  } = options
  const [ingest, auth] = [options.ingestUrl, options.authUrl].map(
    (url) => serviceUrl(url, '').origin,
  )
  const slow: Trouble = { trouble: `no answer from ingest at ${ingest}, or from auth at ${auth}` }
  let last: { readonly retry: Retry; readonly atMs: number } | undefined
  return {
    retry(retry) {
      last = { retry, atMs: Date.now() }
      // In a microtask, so that an error of `onRetry` does not affect sending.
      queueMicrotask(() => onRetry(retry))
    },
    failed: onError,
    troubleOf: ({ deadlineMs }) =>
      last !== undefined && last.atMs >= deadlineMs - sendTimeoutMs ? last.retry : slow,
  }
}

/** Messages of these codes may quote the event, or may come from a proxy. */
const quoting: ReadonlySet<string> = new Set(['validation_failed', 'refused', 'refused_on_retry'])

function detailOf(error: SendError): string {
  if (!quoting.has(error.code) || isByAuth(error)) return `: ${error.message}`
  const status =
    'status' in error && error.status !== undefined ? `HTTP status ${error.status}; ` : ''
  return ` (${status}only the error has the message, which may quote the event)`
}
