export { openTracing, type Tracing } from './open-tracing.ts'
export { spanOutcomes } from './span.ts'
export type { Beginning, Span, SpanOutcome } from './span.ts'
export { traceFields } from './trace-fields.ts'
