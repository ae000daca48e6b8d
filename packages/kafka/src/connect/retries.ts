// How often and how soon kafkajs tries again, one named setting for each kind of use. kafkajs starts at
// 300 ms unless told otherwise, which every second transaction would pay (docs/architecture.md 9).
import type { RetryOptions } from 'kafkajs'

export type Retries = {
  readonly retries: number
  readonly initialRetryTimeMs: number
  readonly maxRetryTimeMs: number
}

/** The first error is the answer: for callers with rules of their own about what may be sent again. */
export const NO_RETRIES: Retries = { retries: 0, initialRetryTimeMs: 1, maxRetryTimeMs: 1 }

/** A second or two in all: the layer above has retries of its own, on a connection made anew. */
export const FEW_RETRIES: Retries = { retries: 5, initialRetryTimeMs: 50, maxRetryTimeMs: 1_000 }

export function toRetryOptions(retries: Retries): RetryOptions {
  return {
    retries: retries.retries,
    initialRetryTime: retries.initialRetryTimeMs,
    maxRetryTime: retries.maxRetryTimeMs,
    factor: 0.2,
    multiplier: 2,
  }
}
