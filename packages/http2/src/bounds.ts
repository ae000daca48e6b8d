// The limits for a client: bytes, headers, streams, time. Tests can shorten the time-outs. The other limits are fixed.

export type Timeouts = {
  /** The time until the first bytes of a connection. Also the time for a TLS handshake, and for a request's head. */
  readonly firstBytesTimeoutMs: number
  /** The time from the head of a request to the end of its body. */
  readonly bodyTimeoutMs: number
  /** The time for a connection without an open request, even if it sends frames. */
  readonly idleTimeoutMs: number
}

const timeouts: Timeouts = {
  firstBytesTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
}

export const withDefaults = (shorter: Partial<Timeouts> = {}): Timeouts => ({
  ...timeouts,
  ...shorter,
})

/** The limit that an HTTP/2 connection announces (spec Endpoints, Send an event). */
export const concurrentStreamsMax = 100
/** A too large body is read up to this size, so that the client can receive the refusal. */
export const dropBytesMax = 8 * 1_048_576
export const headerBytesMax = 16_384
export const headersMax = 100
/** The maximum memory of one HTTP/2 connection in this process. */
export const sessionMebibytesMax = 16
/** The body bytes that all HTTP/2 connections of a port together may hold for open requests. */
export const heldBytesMaxDefault = 64 * 1_048_576
/** Each connection costs some memory before its first request. */
export const connectionsMaxDefault = 10_000
