// Repeats an attempt until it succeeds or a deadline has passed. Attempts must be idempotent.
import { backoff, delay, hasCode, withTimeout } from '@weir/kit'

import { isRetriable, refused, brokerUnavailable } from '../connect/faults.ts'

export type Undertaking = { readonly what: string; readonly deadlineMs: number }

const PAUSE = { minMs: 20, maxMs: 1_000 }

/**
 * Repeats `attempt` while it returns undefined or fails with a retriable error. `attempt` must send no request after
 * `untilMs` (of `performance.now`). Throws KafkaError `kafka.unavailable`, `kafka.refused`, or the attempt's own
 * errors.
 */
export async function untilDone<T>(
  { what, deadlineMs }: Undertaking,
  attempt: (untilMs: number) => Promise<T | undefined>,
): Promise<T> {
  const end = performance.now() + deadlineMs
  let trouble: unknown
  for (const pauseMs of backoff(PAUSE)) {
    try {
      const done = await withTimeout(attempt(end), end - performance.now(), what)
      if (done !== undefined) return done
    } catch (error) {
      trouble = error
      if (hasCode(error) && !hasCode(error, 'kafka.not_sent') && !hasCode(error, 'kit.timeout'))
        throw error
      if (!hasCode(error, 'kit.timeout') && !isRetriable(error)) throw refused(what, error)
    }
    if (performance.now() + pauseMs > end) break
    await delay(pauseMs)
  }
  throw brokerUnavailable(what, trouble)
}
