// The options of a producer, their defaults, and their checks.
import type { Contract } from '../contract.ts'
import type { CredentialsOptions } from '../credentials.ts'

export type Retry = {
  /** The reason, for people. */
  readonly trouble: string
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
  /** Per request (500 events, 1 MiB). */
  readonly batchEventsMax?: number
  readonly batchBytesMax?: number
  /** Of the buffer, which is full at either bound (10,000 events, 16 MiB). */
  readonly bufferEventsMax?: number
  readonly bufferBytesMax?: number
  /** Called whenever something has to be sent again. */
  readonly onRetry?: (retry: Retry) => void
}

/** Of events: their number and their encoded bytes. */
export type BufferSize = { readonly events: number; readonly bytes: number }

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

/** @throws TypeError for an option that isn't a positive whole number */
export function limitsOf(options: Partial<Limits>): Limits {
  const limits = { ...defaults }
  for (const name of names) {
    const value = options[name] ?? defaults[name]
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(`${name} must be a whole number above 0`)
    limits[name] = value
  }
  return limits
}
