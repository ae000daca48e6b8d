// The options of a producer, their defaults, and their checks.
import type { Contract } from '../contract.ts'
import { credentialsRules } from '../credentials.ts'
import type { CredentialsOptions } from '../credentials.ts'
import type { SendError } from '../errors.ts'
import {
  address,
  callback,
  checkOptions,
  contractOrId,
  count,
  milliseconds,
  required,
} from '../options.ts'
import type { Rules } from '../options.ts'

export type Retry = {
  /**
   * The reason, for people, with address and cause if a service was unreachable. It contains no token, secret or event.
   */
  readonly trouble: string
  /** Node's error, with a `code` such as `ECONNREFUSED`, if a service was unreachable. */
  readonly cause?: unknown
  readonly events: number
  readonly waitMs: number
}

export type ProducerOptions<Event extends object = object> = CredentialsOptions & {
  /** The address of ingest. */
  readonly ingestUrl: string
  /**
   * With a contract, events are sent as Avro. With only a schema id, events are sent as Avro JSON, which only ingest
   * checks.
   */
  readonly contract: Contract<Event> | string
  /** `send` gives up an event without an outcome after this time. Default: 120,000. */
  readonly sendTimeoutMs?: number
  /** A request without a response counts as failed after this time. Default: 30,000. */
  readonly requestTimeoutMs?: number
  /** The maximum time to open a connection. Default: 10,000. */
  readonly connectTimeoutMs?: number
  /**
   * The maximum number of concurrent requests. Default: 4. With 1, the events of each person stay in order, unless an
   * event is sent again.
   */
  readonly requestsMax?: number
  /** The maximum number of events in a request. Default: 500. */
  readonly batchEventsMax?: number
  /** The maximum number of bytes in a request, unless one event is larger. Default: 1 MiB. */
  readonly batchBytesMax?: number
  /** The buffer is full when this many events have no outcome. Default: 10,000. */
  readonly bufferEventsMax?: number
  /** The buffer is full when the encoded events without an outcome have this many bytes. Default: 16 MiB. */
  readonly bufferBytesMax?: number
  /**
   * Called each time before events are sent again. Without this function, each `trouble` is written to standard error
   * at most once per minute.
   */
  readonly onRetry?: (retry: Retry) => void
  /**
   * Called with the error of each `send` that rejects. Without this function, each error code is written to standard
   * error at most once per minute, without a value of the event.
   */
  readonly onError?: (error: SendError) => void
}

export type CloseOptions = {
  /** How long to wait for events without an outcome. Default: 30,000. */
  readonly deadlineMs?: number
}

/** A number of events, and the sum of their encoded bytes. */
export type BufferSize = { readonly events: number; readonly bytes: number }

const rules: Rules<ProducerOptions> = {
  ...credentialsRules,
  ingestUrl: required(address('ingest', 8082)),
  contract: required(contractOrId),
  sendTimeoutMs: count,
  requestTimeoutMs: count,
  connectTimeoutMs: count,
  requestsMax: count,
  batchEventsMax: count,
  batchBytesMax: count,
  bufferEventsMax: count,
  bufferBytesMax: count,
  onRetry: callback,
  onError: callback,
}

const defaults = {
  sendTimeoutMs: 120_000,
  requestTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  requestsMax: 4,
  batchEventsMax: 500,
  batchBytesMax: 2 ** 20,
  bufferEventsMax: 10_000,
  bufferBytesMax: 16 * 2 ** 20,
}
export type Limits = typeof defaults

const names = Object.keys(defaults) as readonly (keyof Limits)[]
const closeWithinMs = 30_000

/** @throws TypeError for invalid options */
export function limitsOf<Event extends object>(options: ProducerOptions<Event>): Limits {
  checkOptions('createProducer', options, rules)
  const limits = { ...defaults }
  for (const name of names) limits[name] = options[name] ?? defaults[name]
  return limits
}

/** @throws TypeError for invalid options */
export function deadlineOf(options: CloseOptions = {}): number {
  checkOptions('close', options, { deadlineMs: milliseconds })
  return options.deadlineMs ?? closeWithinMs
}
