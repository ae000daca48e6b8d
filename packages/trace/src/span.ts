// A span as services know it: what happened to one thing in one place, told with names of streams and contracts,
// never with anything of an event. It hides OpenTelemetry's own, so that its packages are loaded only where spans are
// wanted.

export type Attributes = Readonly<Record<string, string | number>>

export type Span = {
  /** For whatever is made of it: the header `traceparent`. */
  readonly traceparent: string
  tell(attributes: Attributes): void
  /** Once; with a code when it failed. One that never ends is never seen. */
  end(fault?: string): void
}

export type Beginning = {
  readonly name: string
  readonly kind: 'server' | 'producer' | 'consumer'
  /** The header `traceparent` as it came, or none. */
  readonly parent: string | undefined
  readonly attributes: Attributes
}

/** over_rate: not begun, too many were. lost: ended, but the receiver could not take it in time. */
export const spanOutcomes = ['begun', 'over_rate', 'exported', 'lost'] as const
export type SpanOutcome = (typeof spanOutcomes)[number]
