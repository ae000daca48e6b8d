// Ingest's metrics. Labels come from closed sets, and never contain a stream, a contract or the content of an event.
// All series but that of status 200 start with 0, because Prometheus does not see the first increase of a new series.
import { spanOutcomes, type SpanOutcome } from '@weir/trace'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import { refusalCodes, statusOf } from './errors.ts'

export type IngestMetrics = {
  answered(status: number, code: string, ms: number): void
  /** Counts events of POST /events with this outcome. */
  events(code: string, count: number): void
  batchStored(batch: { records: number; bytes: number; ms: number }): void
  spans(outcome: SpanOutcome, count: number): void
}

export function createIngestMetrics(
  registry: Registry,
  inFlightBytes: () => number,
): IngestMetrics {
  const registers = [registry]
  /**
   * The 204 responses since the metrics were last read. Most responses are 204, and a number is cheaper than labels.
   */
  let accepted = 0
  const requests = new Counter({
    name: 'svc_ingest_requests_total',
    help: 'Responses by status and error code («none» when accepted).',
    labelNames: ['status', 'code'] as const,
    registers,
    collect() {
      this.inc({ status: 204, code: 'none' }, accepted)
      accepted = 0
    },
  })
  const { events, latency, batchRecords, batchBytes, produce, spans } = seriesIn(registers)
  showInFlight(registers, inFlightBytes)
  events.inc({ code: 'none' }, 0)
  for (const code of refusalCodes) {
    requests.inc({ status: statusOf(code), code }, 0)
    events.inc({ code }, 0)
  }
  for (const outcome of spanOutcomes) spans.inc({ outcome }, 0)
  return {
    answered(status, code, ms) {
      if (status === 204) accepted += 1
      else requests.inc({ status, code })
      latency.observe(ms / 1000)
    },
    events: (code, count) => events.inc({ code }, count),
    batchStored({ records, bytes, ms }) {
      batchRecords.observe(records)
      batchBytes.inc(bytes)
      produce.observe(ms / 1000)
    },
    spans: (outcome, count) => spans.inc({ outcome }, count),
  }
}

const seriesIn = (registers: Registry[]) => ({
  events: new Counter({
    name: 'svc_ingest_events_total',
    help: 'Events of POST /events by error code («none» when stored).',
    labelNames: ['code'] as const,
    registers,
  }),
  latency: new Histogram({
    name: 'svc_ingest_request_seconds',
    help: 'Time from the request headers to the response.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  }),
  batchRecords: new Histogram({
    name: 'svc_ingest_batch_records',
    help: 'Events in one produce request.',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500],
    registers,
  }),
  batchBytes: new Counter({
    name: 'svc_ingest_stored_bytes_total',
    help: 'Bytes that Kafka has acknowledged.',
    registers,
  }),
  produce: new Histogram({
    name: 'svc_ingest_produce_seconds',
    help: 'Time from a produce request to its acknowledgement.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  }),
  spans: new Counter({
    name: 'svc_ingest_trace_spans_total',
    help: 'Spans by outcome: started, dropped at the limit, exported, lost.',
    labelNames: ['outcome'] as const,
    registers,
  }),
})

function showInFlight(registers: Registry[], inFlightBytes: () => number): void {
  new Gauge({
    name: 'svc_ingest_in_flight_bytes',
    help: 'Bytes of events that Kafka has not acknowledged yet.',
    registers,
    collect() {
      this.set(inFlightBytes())
    },
  })
}
