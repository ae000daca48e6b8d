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
   * The reason, for people: the service, and if it was not reached, its address and the cause. It contains no token,
   * secret or event.
   */
  readonly trouble: string
  /** Node's error, with a `code` such as `ECONNREFUSED`, if a service was not reached. */
  readonly cause?: unknown
  readonly events: number
  readonly waitMs: number
}

export type ProducerOptions<Event extends object = object> = CredentialsOptions & {
  /** The address of ingest. */
  readonly ingestUrl: string
  /** With a contract, events are sent as Avro; with only a schema id, as Avro JSON that ingest reads. */
  readonly contract: Contract<Event> | string
  /** A `send` without an outcome is given up after this time (120,000). */
  readonly sendTimeoutMs?: number
  /** A request without a response counts as failed after this time (30,000). */
  readonly requestTimeoutMs?: number
  /** The time to open a connection (10,000). */
  readonly connectTimeoutMs?: number
  /** Concurrent requests (4). With 1 the events of each person stay in order, unless one has to be sent again. */
  readonly requestsMax?: number
  /** The maximum per request (500 events, 1 MiB). */
  readonly batchEventsMax?: number
  readonly batchBytesMax?: number
  /** The bounds of the buffer, which is full at either of them (10,000 events, 16 MiB). */
  readonly bufferEventsMax?: number
  readonly bufferBytesMax?: number
  /**
   * Called whenever something has to be sent again, the first time after the first attempt. Without it, there is a line
   * on standard error, at most once per minute for the same trouble.
   */
  readonly onRetry?: (retry: Retry) => void
  /**
   * Called with the error of each `send` that rejects. Without it, there is a line on standard error, at most once per
   * minute for the same code, without a value of the event.
   */
  readonly onError?: (error: SendError) => void
}

export type CloseOptions = {
  /** How long to wait for events without an outcome (30,000). */
  readonly deadlineMs?: number
}

/** The number of events and of their encoded bytes. */
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
