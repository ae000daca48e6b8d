// The metrics of output. Labels come from closed sets, except for the lag, whose series are bounded. Most series start
// with 0, because Prometheus does not see the first increase of a new series.
import { spanOutcomes, type SpanOutcome } from '@weir/trace'
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { retryOutcomes } from './dead-letters/retry-partition.ts'
import type { RetryOutcome } from './dead-letters/retry-partition.ts'
import type { Counts, DeadAt } from './derive/flow/stream.ts'
import { deadCodes, failureCodes } from './derive/transform.ts'

export type OutputMetrics = {
  /** Counts the outcomes of stored records. */
  derived(counts: Counts, dead: readonly Pick<DeadAt, 'code'>[]): void
  deriverFailed(code: string): void
  lostToRetention(events: number): void
  /** Sets whether this replica may own partitions. */
  lease(isHeld: boolean): void
  retried(outcome: RetryOutcome): void
  spans(outcome: SpanOutcome, count: number): void
  gateway: { clients(delta: 1 | -1): void; sent(messages: number): void; tooSlow(): void }
}

type Sources = {
  lags: () => Iterable<readonly [topic: string, lag: number]>
  lagSeriesMax: number
  denied: () => number
}

export function createOutputMetrics(registry: Registry, sources: Sources): OutputMetrics {
  const registers = [registry]
  const series = seriesIn(registers)
  const { events, dead, undecryptable, clients } = series
  showSources(registers, sources)
  startAtZero(series)
  return {
    derived({ passed, filtered, undecryptable: fields }, deadAt) {
      for (const { code } of deadAt) dead.inc({ code })
      events.inc({ outcome: 'passed' }, passed)
      events.inc({ outcome: 'filtered' }, filtered)
      undecryptable.inc(fields)
    },
    deriverFailed: (code) => series.failures.inc({ code }),
    lostToRetention: (count) => series.lost.inc(count),
    lease: (isHeld) => series.lease.set(isHeld ? 1 : 0),
    retried: (outcome) => series.retried.inc({ outcome }),
    spans: (outcome, count) => series.spans.inc({ outcome }, count),
    gateway: {
      clients: (delta) => clients.inc(delta),
      sent: (messages) => series.sent.inc(messages),
      tooSlow: () => series.tooSlow.inc(),
    },
  }
}

const seriesIn = (registers: Registry[]) => ({
  events: new Counter({
    name: 'svc_output_events_total',
    help: 'Events read by derivers, by outcome: passed, or filtered for lack of consent.',
    labelNames: ['outcome'] as const,
    registers,
  }),
  dead: new Counter({
    name: 'svc_output_dead_total',
    help: 'Records that were dead-lettered because they cannot be derived, by error code.',
    labelNames: ['code'] as const,
    registers,
  }),
  retried: new Counter({
    name: 'svc_output_dead_retried_total',
    help: 'Dead-lettered records that were retried, by result.',
    labelNames: ['outcome'] as const,
    registers,
  }),
  undecryptable: new Counter({
    name: 'svc_output_undecryptable_fields_total',
    help: 'Fields delivered encrypted because their keys are erased.',
    registers,
  }),
  ...workSeriesIn(registers),
  ...gatewaySeriesIn(registers),
})

const workSeriesIn = (registers: Registry[]) => ({
  failures: new Counter({
    name: 'svc_output_derive_failures_total',
    help: 'Failed attempts to derive a batch, which are repeated, by error code.',
    labelNames: ['code'] as const,
    registers,
  }),
  lost: new Counter({
    name: 'svc_output_events_lost_to_retention_total',
    help: 'Events that retention removed before they were derived.',
    registers,
  }),
  lease: new Gauge({
    name: 'svc_output_lease_held',
    help: '1 if this replica may derive: it has read its own heartbeat back in the last 10 s. 0 if not.',
    registers,
  }),
  spans: new Counter({
    name: 'svc_output_trace_spans_total',
    help: 'Spans by outcome: started, dropped at the limit, exported, lost.',
    labelNames: ['outcome'] as const,
    registers,
  }),
})

const gatewaySeriesIn = (registers: Registry[]) => ({
  clients: new Gauge({
    name: 'svc_output_ws_clients',
    help: 'Open WebSockets.',
    registers,
  }),
  sent: new Counter({
    name: 'svc_output_ws_messages_total',
    help: 'Messages sent to WebSocket clients.',
    registers,
  }),
  tooSlow: new Counter({
    name: 'svc_output_ws_too_slow_total',
    help: 'WebSockets closed because their clients could not keep up.',
    registers,
  }),
})

type Series = ReturnType<typeof seriesIn>

function showSources(registers: Registry[], sources: Sources): void {
  new Gauge({
    name: 'svc_output_lag_events',
    help: 'Lag of a derived stream in events of its input stream; only the largest LAG_SERIES_MAX are shown.',
    labelNames: ['stream'] as const,
    registers,
    collect() {
      this.reset()
      const largest = [...sources.lags()].sort((a, b) => b[1] - a[1]).slice(0, sources.lagSeriesMax)
      for (const [stream, lag] of largest) this.set({ stream }, lag)
    },
  })
  new Gauge({
    name: 'svc_output_streams_denied',
    help: 'Derived streams of this deployment that need levels which it may not decrypt.',
    registers,
    collect() {
      this.set(sources.denied())
    },
  })
}

function startAtZero({ events, dead, retried, failures, spans }: Series): void {
  for (const outcome of ['passed', 'filtered']) events.inc({ outcome }, 0)
  for (const code of deadCodes) dead.inc({ code }, 0)
  for (const outcome of retryOutcomes) retried.inc({ outcome }, 0)
  for (const code of failureCodes) failures.inc({ code }, 0)
  for (const outcome of spanOutcomes) spans.inc({ outcome }, 0)
}
