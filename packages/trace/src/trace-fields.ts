// A service's trace settings. Settings that OpenTelemetry has, too, have its names. docs/observability.md lists the
// settings that OpenTelemetry's exporter reads directly (headers, certificates, time-outs).
import { integer, url, withUnit } from '@weir/kit'
import { z } from 'zod'

const ratio = () => {
  const field = z
    .string()
    .trim()
    .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'it must be a share from 0 to 1')
    .transform(Number)
  return withUnit(field, '0 to 1')
}

export const traceFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url()
    .optional()
    .describe('the address for spans (OTLP over HTTP), without /v1/traces; unset: no spans'),
  OTEL_TRACES_SAMPLER_ARG: ratio()
    .default(0)
    .describe('the share of requests without a traceparent that are traced'),
  TRACE_SPANS_PER_SECOND_MAX: integer({ min: 1, max: 100_000, of: 'spans a second' })
    .default(500)
    .describe('maximum number of spans that a replica starts per second'),
}

const settings = z.object(traceFields)
export type TraceSettings = z.infer<typeof settings>
