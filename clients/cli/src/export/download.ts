// Writes a response of any length while it arrives. A response that ends early is an error, because it is incomplete.
import { failure } from '../errors.ts'
import { tryParseJson } from '../json.ts'
import { helpIn, apiRefusal, unreachable } from '../api/request.ts'
import type { EventSink } from './event-writer.ts'

export type Download = {
  readonly url: URL
  readonly bearer: string
  /** Ends the download early. */
  readonly signal: AbortSignal
}

/** @throws CliError for a refusal, in the service's words, and for an incomplete response */
export async function download({ url, bearer, signal }: Download, sink: EventSink): Promise<void> {
  const headers = { authorization: `Bearer ${bearer}` }
  const response = await fetch(url, { headers, redirect: 'manual', signal }).catch((error) => {
    throw unreachable(url, error)
  })
  if (response.status !== 200 || response.body === null) throw await refusalOf(url, response)
  const pieces = response.body[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await pieces.next().catch(() => {
      throw failure(
        `${url.origin} ended the response before it was complete`,
        'Try again. If it happens again, see the log of the output service.',
      )
    })
    if (done) return
    await sink.write(value)
  }
}

async function refusalOf(url: URL, response: Response) {
  const text = await response.text()
  const { status, headers } = response
  return apiRefusal({
    status,
    text,
    json: tryParseJson(text),
    retryAfter: headers.get('retry-after') ?? undefined,
    date: headers.get('date') ?? undefined,
    help: helpIn(headers.get('link') ?? undefined),
    url,
  })
}
