// Reads the outcome of each event from ingest's response: stored, finally refused, or to be sent again. Pure:
// deliver.ts sends again. An event without a certain outcome is never `stored` and never `rejected`.
import type { Trouble } from '../address.ts'
import { RejectedError, rejectionCodeOf } from '../errors.ts'
import { isObject, memberOf, tryParseJson } from '../json.ts'
import { retryAfterMsOf } from '../retries.ts'

export type Answer = {
  readonly status: number
  /** From the header `Svc-Error`. */
  readonly code: unknown
  /** From the header `Retry-After`. */
  readonly retryAfter: unknown
  readonly text: string
}
/** No complete response arrived. */
export type NoAnswer = Trouble & { readonly mayBeStored: boolean }

export type Outcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'rejected'; readonly error: RejectedError; readonly isOfEvent: boolean }
  /** The token was refused; nothing was stored. */
  | { readonly kind: 'token'; readonly message: string }
  | (Trouble & {
      readonly kind: 'again'
      readonly mayBeStored: boolean
      readonly afterMs: number | undefined
      /** Events are sent too fast: the next event would also be refused. */
      readonly isRate: boolean
    })

export type Verdict = {
  /** One outcome for each event, in their order. */
  readonly outcomes: readonly Outcome[]
  /** The response is about the whole request, not about each event. */
  readonly isWhole: boolean
}

const stored: Outcome = { kind: 'stored' }

/** After one second `eventRate` permits events again. Ingest asks for the same pause when it can't store events. */
const eventRetryAfterMs = 1_000

/** A proxy may return a whole page. */
const messageCharsMax = 4_000

/**
 * These refusals depend only on the event and its contract, which never changes. So each earlier attempt was refused,
 * too.
 */
const ofEvent: ReadonlySet<string> = new Set([
  'undecodable',
  'key_field_empty',
  'invalid_consent_levels',
  'validation_failed',
])

export function verdictOf(answer: Answer | NoAnswer, count: number, nowMs: number): Verdict {
  const whole = (outcome: Outcome): Verdict => ({
    outcomes: Array.from({ length: count }, () => outcome),
    isWhole: true,
  })
  if ('trouble' in answer) return whole({ ...answer, ...again })
  const { status, code, text } = answer
  if (status === 204 && count === 1) return whole(stored)
  if (status === 200) {
    const outcomes = outcomesIn(tryParseJson(text), count)
    if (outcomes !== undefined) return { outcomes, isWhole: false }
    return whole({
      ...again,
      trouble: 'an answer that does not match the events',
      mayBeStored: true,
    })
  }
  const afterMs = retryAfterMsOf(answer.retryAfter, nowMs)
  return whole(refusalOf({ status, code, message: text, afterMs }))
}

const again = { kind: 'again', afterMs: undefined, isRate: false } as const

/** Returns undefined if the response is about another number of events. */
function outcomesIn(json: unknown, count: number): Outcome[] | undefined {
  const rejected = memberOf(json, 'rejected')
  if (!Array.isArray(rejected) || memberOf(json, 'accepted') !== count - rejected.length)
    return undefined
  const outcomes = Array.from({ length: count }, () => stored)
  const entries: readonly unknown[] = rejected
  for (const entry of entries) {
    const index = memberOf(entry, 'index')
    if (!isObject(entry) || typeof index !== 'number' || outcomes[index] !== stored)
      return undefined
    outcomes[index] = refusalOf({
      status: Number(entry['status']),
      code: entry['code'],
      message: String(entry['message']),
      afterMs: eventRetryAfterMs,
    })
  }
  return outcomes
}

type Refusal = {
  readonly status: number
  readonly code: unknown
  readonly message: string
  readonly afterMs: number | undefined
}

function refusalOf({ status, code, message, afterMs }: Refusal): Outcome {
  if (status === 401) return { kind: 'token', message }
  if (status === 429 && rejectionCodeOf(code) === 'refused') {
    return { kind: 'again', mayBeStored: false, afterMs, isRate: true, trouble: 'too many events' }
  }
  // A status that is not final may come from a proxy, even after ingest has stored the events.
  const isFinal = status >= 300 && status < 500 && status !== 408 && status !== 425
  if (!isFinal) {
    const trouble = `ingest answers ${status}`
    return { kind: 'again', mayBeStored: true, afterMs, isRate: false, trouble }
  }
  const known = rejectionCodeOf(code)
  const line =
    message.trim() === '' ? `ingest answers ${status}` : message.slice(0, messageCharsMax)
  const error = new RejectedError(known, line, status)
  return { kind: 'rejected', error, isOfEvent: ofEvent.has(known) }
}
