// Records traces, if an endpoint is configured. Otherwise, the SDK is not loaded. A client's traceparent decides
// whether its request is recorded. Requests without a traceparent are sampled. The number of new spans per second is
// limited. A slow receiver never delays the service: a limited number of spans waits, and further spans are dropped and
// counted.
import type { Log } from '@weir/kit'
import { createAllowance, delay, parseTraceparent } from '@weir/kit'
import type { Beginning, Span, SpanOutcome } from './span.ts'
import type { TraceSettings } from './trace-fields.ts'

export type Tracing = {
  /** Starts a span. Returns undefined if the operation isn't recorded. */
  begin(beginning: Beginning): Span | undefined
  /** Sends the waiting spans, for at most a second. */
  close(): Promise<void>
}

const closeWithinMs = 1_000

export async function openTracing(
  config: TraceSettings,
  from: { service: string; log: Log; count: (outcome: SpanOutcome, spans: number) => void },
): Promise<Tracing | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return undefined
  const { startSdk } = await import('./sdk.ts')
  const ratio = config.OTEL_TRACES_SAMPLER_ARG
  const sdk = startSdk({ endpoint, ...from })
  const allowance = createAllowance(config.TRACE_SPANS_PER_SECOND_MAX)
  return {
    begin(beginning) {
      const parent = parseTraceparent(beginning.parent)
      if (parent === undefined ? ratio === 0 : !parent.isSampled) return undefined
      if (parent === undefined && Math.random() >= ratio) return undefined
      const isAllowed = allowance.take()
      from.count(isAllowed ? 'begun' : 'over_rate', 1)
      return isAllowed ? sdk.begin(beginning, parent) : undefined
    },
    async close() {
      const inTime = new AbortController()
      const late = delay(closeWithinMs, inTime.signal).catch(() => {})
      await Promise.race([sdk.close(), late])
      inTime.abort()
    },
  }
}
