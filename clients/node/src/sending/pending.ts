// An event without an outcome.
import type { SendError } from '../errors.ts'

export type Pending = {
  /** Counts from 0 in the order of `send`. */
  readonly number: number
  readonly bytes: Buffer
  readonly deadlineMs: number
  readonly resolve: () => void
  readonly reject: (error: SendError) => void
  /**
   * `taken`: in a request that was not sent yet. `under_way`: its request may have been sent. `resting`: pauses before
   * a retry.
   */
  state: 'waiting' | 'taken' | 'under_way' | 'resting' | 'settled'
  tries: number
  /** An earlier attempt had no certain outcome. */
  mayBeStored: boolean
  tokensRefused: number
}
