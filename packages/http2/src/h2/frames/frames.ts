// The frames of HTTP/2 (RFC 9113 4 and 6): their form, and names for their numbers.
//
//   frame  = length type flags stream payload
//   length = 3OCTET           ; of the payload
//   type   = OCTET
//   flags  = OCTET
//   stream = 4OCTET           ; the first bit is ignored

export const frameHeadBytes = 9
/** The largest payload that we accept: the default, and the smallest limit that RFC 9113 permits. */
export const framePayloadMax = 16_384
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const flagOf = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const

/** RFC 9113 7. */
export const errorCode = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const
export type H2ErrorCode = (typeof errorCode)[keyof typeof errorCode]

export const settingFrame = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const

export const windowMax = 0x7fff_ffff
export const windowDefault = 65_535

/** Ends the connection (RFC 9113 5.4.1). */
export class ConnectionError extends Error {
  readonly code: H2ErrorCode
  constructor(code: H2ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Ends one stream (RFC 9113 5.4.2). */
export class StreamError extends Error {
  readonly code: H2ErrorCode
  constructor(code: H2ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
