// What a producer is made with, its defaults, and what is wrong with it.
import type { Contract } from '../contract.ts'
import type { CredentialsOptions } from '../tokens.ts'

export type Retry = {
  /** What went wrong, for people. */
  readonly trouble: string
  readonly events: number
  readonly waitMs: number
}

export type ProducerOptions<Event extends object = object> = CredentialsOptions & {
  /** The address of ingest. */
  readonly ingestUrl: string
  /** Events go as Avro. With a schema id alone they go as Avro JSON, for ingest to read. */
  readonly contract: Contract<Event> | string
  /** A `send` without an outcome is given up after that time (120,000). */
  readonly sendTimeoutMs?: number
  /** A request without an answer counts as failed after that time (30,000). */
  readonly requestTimeoutMs?: number
  /** For a connection to come about (10,000). */
  readonly connectTimeoutMs?: number
  /** Requests at once (4). With 1 the events of each person keep their order, as long as none has to be sent again. */
  readonly requestsMax?: number
  /** Of one request (500 events, 1 MiB). */
  readonly batchEventsMax?: number
  readonly batchBytesMax?: number
  /** Of the buffer, which is full at either (10,000 events, 16 MiB). */
  readonly bufferEventsMax?: number
  readonly bufferBytesMax?: number
  /** Told whenever something has to be sent again. */
  readonly onRetry?: (retry: Retry) => void
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

/** @throws TypeError for one that isn't a positive whole number */
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
