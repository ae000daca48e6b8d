// Sets up OpenTelemetry's SDK, which sends spans in batches to one OTLP endpoint, as JSON over HTTP. Sets nothing
// globally, patches nothing, and passes no context implicitly. Loaded only if tracing is configured
// (docs/adr/0027-traces.md).
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { formatTraceparent } from '@weir/kit'
import type { Log, TraceParent } from '@weir/kit'
import type { Beginning, Span, SpanOutcome } from './span.ts'

export type SdkOptions = {
  endpoint: string
  service: string
  log: Log
  count: (outcome: SpanOutcome, spans: number) => void
}

const kinds = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} satisfies Record<Beginning['kind'], SpanKind>

/** The maximum number of spans that have ended, but are not sent. */
const waitingMax = 2_048
const batchMax = 512
const sendEveryMs = 1_000
const sendWithinMs = 5_000
const warnEveryMs = 60_000
const attributeCharsMax = 256

export function startSdk({ endpoint, service, log, count }: SdkOptions) {
  let waiting = 0
  const exporter = watched(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: sendWithinMs }),
    {
      onDone(spans, error) {
        waiting -= spans
        count(error === undefined ? 'exported' : 'lost', spans)
        if (error !== undefined) warn(error)
      },
    },
  )
  const provider = createProvider(service, exporter)
  const tracer = provider.getTracer('weir')
  const warn = seldom((error: Error) => log.warn({ err: error }, 'spans could not be sent'))

  const begin = (beginning: Beginning, parent: TraceParent | undefined): Span => {
    const { name, kind, attributes } = beginning
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, contextOf(parent))
    const { traceId, spanId } = span.spanContext()
    let isOver = false
    return {
      traceparent: formatTraceparent({ traceId, spanId, isSampled: true }),
      tell: (told) => void span.setAttributes(told),
      end(fault) {
        if (isOver) return
        isOver = true
        if (waiting >= waitingMax) return count('lost', 1)
        waiting += 1
        if (fault !== undefined) {
          span.setAttribute('error.type', fault)
          span.setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end()
      },
    }
  }
  return { begin, close: () => provider.shutdown() }
}

const createProvider = (service: string, exporter: SpanExporter): TracerProvider =>
  new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `weir-${service}` }),
    sampler: new AlwaysOnSampler(), // the caller has already decided to record
    spanLimits: { attributeValueLengthLimit: attributeCharsMax },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: waitingMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: 2 * sendWithinMs,
      }),
    ],
  })

function contextOf(parent: TraceParent | undefined) {
  if (parent === undefined) return ROOT_CONTEXT
  const { traceId, spanId } = parent
  const remote = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
  return trace.setSpanContext(ROOT_CONTEXT, remote)
}

function watched(
  exporter: SpanExporter,
  { onDone }: { onDone: (spans: number, error: Error | undefined) => void },
): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isSent = result.code === 0
        onDone(spans.length, isSent ? undefined : (result.error ?? new Error('refused')))
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

/** Calls `tell` at most once per minute. If the receiver is down, the exporter fails every second. */
function seldom<Told>(tell: (told: Told) => void): (told: Told) => void {
  let lastMs = -warnEveryMs
  return (told) => {
    if (performance.now() - lastMs < warnEveryMs) return
    lastMs = performance.now()
    tell(told)
  }
}
