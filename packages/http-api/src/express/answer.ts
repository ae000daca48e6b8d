// The interface of a route to the rest of a service: a handler takes a call and returns a response.
import type { Actor } from '@weir/control-state'
import type { PageOf } from '@weir/kit'
import type { Refusal } from '../refusal.ts'

export type RouteAnswer<Body = unknown> = {
  readonly status: number
  /** Sent as JSON. A string or a `StreamedBody` is sent unchanged, with the content type of the headers. */
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

export type Call = {
  /** Returns a decoded segment of the path. */
  param(name: string): string
  /** @throws Refusal `invalid` if it is present twice */
  query(name: string): string | undefined
  header(name: string): string | undefined
  readonly requestId: string
  /** The other end of the connection, which may be a proxy. */
  readonly peer: { readonly address: string | undefined; readonly isEncrypted: boolean }
  /** Sets the caller, for the log and for the audit log. */
  isFrom(caller: string, actor: Actor): void
  /**
   * Reads at most 1 MiB by default.
   * @throws Refusal `too_large`, `unsupported_encoding`, `invalid_request`
   */
  readBody(bytesMax?: number): Promise<Buffer>
}

export type RouteHandler = (call: Call) => RouteAnswer | Promise<RouteAnswer>
export type ErrorForm = (refusal: Refusal, pageOf: PageOf) => RouteAnswer
