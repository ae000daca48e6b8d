// An event that has no outcome yet, and sizes of many.
import type { SendError } from '../errors.ts'

export type Pending = {
  /** Counts from 0 in the order of `send`. */
  readonly number: number
  readonly bytes: Buffer
  readonly deadlineMs: number
  readonly resolve: () => void
  readonly reject: (error: SendError) => void
  /** `taken` as part of a request that hasn't left, `under_way` once it may have. */
  state: 'waiting' | 'taken' | 'under_way' | 'resting' | 'settled'
  tries: number
  /** A try of it has no certain outcome. */
  mayBeStored: boolean
  tokensRefused: number
}

export type BufferSize = { readonly events: number; readonly bytes: number }
