// The options of a listener, and their checks.
import { credentialsRules } from '../credentials.ts'
import type { CredentialsOptions } from '../credentials.ts'
import { address, callback, checkOptions, count, required } from '../options.ts'
import type { Rules } from '../options.ts'

export type Gap = {
  /** Why the connection ended. */
  readonly reason: string
  /** The time from the end of the connection until the next connection was open. */
  readonly ms: number
}

export type Reconnect = {
  /** The reason, for people, with address and cause if a service was unreachable. */
  readonly trouble: string
  /** Node's error, with a `code` such as `ECONNREFUSED`, if a service was unreachable. */
  readonly cause?: unknown
  readonly waitMs: number
}

export type ListenerOptions = CredentialsOptions & {
  /** The address of output. */
  readonly outputUrl: string
  /** While this many events wait for the reader, the connection is not read, and output may end it. Default: 1,000. */
  readonly bufferEventsMax?: number
  /**
   * Called after each reconnection. The events that were stored in the gap are missing. Without this function, a line
   * is written to standard error at most once per minute.
   */
  readonly onGap?: (gap: Gap) => void
  /**
   * Called when a connection could not be opened and will be tried again. Without this function, each `trouble` is
   * written to standard error at most once per minute.
   */
  readonly onRetry?: (retry: Reconnect) => void
}

const rules: Rules<ListenerOptions> = {
  ...credentialsRules,
  outputUrl: required(address('output', 8083)),
  bufferEventsMax: count,
  onGap: callback,
  onRetry: callback,
}

/** @throws TypeError for invalid options */
export const checkListenerOptions = (options: ListenerOptions): void =>
  checkOptions('createListener', options, rules)
