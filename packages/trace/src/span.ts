// A span as services know it: one operation, described with names of streams and contracts, never with anything of an
// event. It hides OpenTelemetry's own type, so that its packages are loaded only where spans are wanted.

export type Attributes = Readonly<Record<string, string | number>>

export type Span = {
  /** To be passed on in the header `traceparent`. */
  readonly traceparent: string
  tell(attributes: Attributes): void
  /** Call once; with a code when it failed. A span that never ends is never sent. */
  end(fault?: string): void
}

export type Beginning = {
  readonly name: string
  readonly kind: 'server' | 'producer' | 'consumer'
  /** The unparsed header `traceparent`, or undefined. */
  readonly parent: string | undefined
  readonly attributes: Attributes
}

/** over_rate: not begun, because there were too many. lost: ended, but not received in time. */
export const spanOutcomes = ['begun', 'over_rate', 'exported', 'lost'] as const
export type SpanOutcome = (typeof spanOutcomes)[number]
