// What a client may take of us: bytes, headers, streams, time. The time-outs can be shortened, for tests
// above all; the rest is fixed.

export type Timeouts = {
  /** From the connection to its first bytes, for a TLS handshake, and for the head of a request. */
  readonly firstBytesTimeoutMs: number
  /** From the head of a request to the end of its body. */
  readonly bodyTimeoutMs: number
  /** For a connection on which nothing is asked, whatever frames come. */
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
/** Of a body that is too large, this much is read so that the client can hear so. */
export const dropBytesMax = 8 * 1_048_576
export const headerBytesMax = 16_384
export const headersMax = 100
/** What one HTTP/2 connection may hold of our memory. */
export const sessionMebibytesMax = 16
/** Bytes of bodies that all HTTP/2 connections of a port together hold for requests under way. */
export const heldBytesMaxDefault = 64 * 1_048_576
/** Each connection costs some memory before it has asked for anything. */
export const connectionsMaxDefault = 10_000
