// The seam between a service and whatever speaks HTTP to its clients: a request to look at, a response
// to give back. Small on purpose, so that the listener behind it can be replaced.

export type HttpRequest = {
  readonly method: string
  /** The request target without its query, as sent. */
  readonly path: string
  /** What follows the `?`, or ''. */
  readonly query: string
  /** The first value of a header; the name in lower case. */
  header(name: string): string | undefined
  /** How many times the header was sent. */
  headerCount(name: string): number
  /**
   * The whole body; undefined when it has more than `bytesMax` bytes: then the rest was read and
   * dropped, up to 8 MiB, so that the client is there to hear the answer. Rejects with Http2Error
   * `aborted` when the client goes away or takes too long. At once when it is there already. To be
   * called once.
   */
  body(bytesMax: number): Buffer | undefined | Promise<Buffer | undefined>
  /**
   * Instead of `body`, for bodies of any length: piece by piece as it comes. The client is held up as long
   * as no further piece is asked for. Throws Http2Error `http2.aborted` when the client goes away, or sends less
   * than 1 KiB in the time that a whole body may take while a piece is waited for.
   */
  chunks(): AsyncGenerator<Buffer, void, void>
}

export type HttpResponse = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /**
   * A string is sent as plain text in UTF-8, unless the headers name another type. Pieces are sent as they
   * come, without a length and as fast as the client takes them; such an answer may overtake its request.
   */
  readonly body?: string | Buffer | AsyncIterable<Buffer>
}

export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

type TlsPair = { readonly cert: string | Buffer; readonly key: string | Buffer }

export type Tls = TlsPair & {
  /** Tells of every other pair that new connections shall see; those that are open go on with theirs. */
  onChange?(listener: (pair: TlsPair) => void): void
}

export type Listener = {
  readonly port: number
  /**
   * Takes no more connections and requests, lets those under way finish for `graceMs` (5 s), then cuts
   * what is left. Resolves when everything is closed.
   */
  close(graceMs?: number): Promise<void>
}
