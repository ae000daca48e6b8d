// The limits for clients: bytes, headers, streams, time. Tests can shorten the time-outs.

export type Timeouts = {
  /** The time until the first bytes of a connection. Also the time for a TLS handshake, and for a request's head. */
  readonly firstBytesTimeoutMs: number
  /** The time from the head of a request to the end of its body. */
  readonly bodyTimeoutMs: number
  /** How long a connection without an open request stays open, even if it sends frames. */
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

/** The limit that the server announces on an HTTP/2 connection (spec Endpoints, Send an event). */
export const concurrentStreamsMax = 100
/** A body that is too large is read up to this size, so that the client can receive the refusal. */
export const dropBytesMax = 8 * 1_048_576
export const headerBytesMax = 16_384
export const headersMax = 100
/** The maximum memory of one connection of node:http2. */
export const sessionMebibytesMax = 16
/** The body bytes that all HTTP/2 connections of a port together may hold for open requests. */
export const heldBytesMaxDefault = 64 * 1_048_576
/** Limited because each connection costs memory before its first request. */
export const connectionsMaxDefault = 10_000
