// The bounds for a client: bytes, headers, streams, time. The time-outs can be shortened, mainly for tests; the rest is
// fixed.

export type Timeouts = {
  /** From the connection to its first bytes, for a TLS handshake, and for the head of a request. */
  readonly firstBytesTimeoutMs: number
  /** From the head of a request to the end of its body. */
  readonly bodyTimeoutMs: number
  /** For a connection without an open request, whatever frames it sends. */
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

/** What an HTTP/2 connection announces (spec Endpoints, Send an event). */
export const concurrentStreamsMax = 100
/** How much of a too large body is read so that the client can receive the refusal. */
export const dropBytesMax = 8 * 1_048_576
export const headerBytesMax = 16_384
export const headersMax = 100
/** How much of our memory one HTTP/2 connection may use. */
export const sessionMebibytesMax = 16
/** Body bytes that all HTTP/2 connections of a port together hold for open requests. */
export const heldBytesMaxDefault = 64 * 1_048_576
/** Each connection costs some memory before its first request. */
export const connectionsMaxDefault = 10_000
