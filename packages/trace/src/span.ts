// A span: one operation, described with names of streams and contracts, never with content of an event. The type hides
// OpenTelemetry's own, so that its packages are loaded only if tracing is configured.

export type Attributes = Readonly<Record<string, string | number>>

export type Span = {
  /** The value for the header `traceparent` of further requests. */
  readonly traceparent: string
  tell(attributes: Attributes): void
  /** Call once; with a code if the operation failed. A span that never ends is never sent. */
  end(fault?: string): void
}

export type Beginning = {
  readonly name: string
  readonly kind: 'server' | 'producer' | 'consumer'
  /** The unparsed header `traceparent`, or undefined. */
  readonly parent: string | undefined
  readonly attributes: Attributes
}

/** over_rate: not begun, because of the rate limit. lost: ended, but not delivered. */
export const spanOutcomes = ['begun', 'over_rate', 'exported', 'lost'] as const
export type SpanOutcome = (typeof spanOutcomes)[number]
