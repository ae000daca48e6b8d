// The options of a listener, and their checks.
import { credentialsRules } from '../credentials.ts'
import type { CredentialsOptions } from '../credentials.ts'
import { address, callback, checkOptions, count, required } from '../options.ts'
import type { Rules } from '../options.ts'

export type Gap = {
  /** Why the connection ended. */
  readonly reason: string
  /** The time from the end of the connection until the next one was open. */
  readonly ms: number
}

export type Reconnect = {
  /** The reason, for people: the service, and if it was not reached, its address and the cause. */
  readonly trouble: string
  /** Node's error, with a `code` such as `ECONNREFUSED`, if a service was not reached. */
  readonly cause?: unknown
  readonly waitMs: number
}

export type ListenerOptions = CredentialsOptions & {
  /** The address of output. */
  readonly outputUrl: string
  /** How many events may wait for the reader (1,000). Above that the connection is not read, and output may end it. */
  readonly bufferEventsMax?: number
  /** Called after a reconnection: events that were stored meanwhile are missing. */
  readonly onGap?: (gap: Gap) => void
  /**
   * Called whenever it could not connect, and will try again. Without it, there is a line on standard error, at most
   * once per minute for the same trouble.
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
