// The interface between a service and an HTTP listener: a request in, a response out.

export type HttpRequest = {
  readonly method: string
  /** The request target without its query, as sent. */
  readonly path: string
  /** The text after the `?`, or ''. */
  readonly query: string
  /** The first value of a header. The name must be in lower case. */
  header(name: string): string | undefined
  /** How often the header was sent. */
  headerCount(name: string): number
  /**
   * Returns the whole body, immediately if it has already arrived. If it has more than `bytesMax` bytes, reads and
   * drops the rest, up to 8 MiB, so that the client can receive the response, and returns undefined. Rejects with
   * Http2Error `http2.aborted` if the client goes away or takes too long. Call it once.
   */
  body(bytesMax: number): Buffer | undefined | Promise<Buffer | undefined>
  /**
   * Use instead of `body` for bodies of any length: yields pieces as they arrive. The client is slowed down while no
   * further piece is requested. Throws Http2Error `http2.aborted` if the client goes away, or if it sends less than 1
   * KiB within the time-out for a whole body. Only time while the handler waits for a piece counts.
   */
  chunks(): AsyncGenerator<Buffer, void, void>
}

export type HttpResponse = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /**
   * A string is sent as plain text in UTF-8, unless the headers name another type. Pieces are sent one by one, without
   * a length, as fast as the client reads them. A response in pieces may begin before the request's body ends.
   */
  readonly body?: string | Buffer | AsyncIterable<Buffer>
}

export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

type TlsPair = { readonly cert: string | Buffer; readonly key: string | Buffer }

export type Tls = TlsPair & {
  /** Calls the listener with every new pair. New connections use it; open ones keep their pair. */
  onChange?(listener: (pair: TlsPair) => void): void
}

export type Listener = {
  readonly port: number
  /**
   * Takes no more connections, lets open requests finish for `graceMs` (5 s), and then cuts the rest. Resolves when
   * everything is closed.
   */
  close(graceMs?: number): Promise<void>
}
