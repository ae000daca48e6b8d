// Spans of derived records: of each input record that is traced, from its reading to the commit of what came of it. A
// round that Kafka aborts is derived again, and leaves no spans the first time, so a derived record has one.
import type { Derived, OutRecord, SourceRecord } from '@weir/kafka'
import type { DerivedStream, InputStream } from '@weir/control-state'
import { groupOf, topicOf } from '@weir/control-state'
import type { Span, Tracing } from '@weir/trace'
import type { Derive } from './derive.ts'

const traceparent = 'traceparent'

export type TracedDerive = {
  readonly derive: Derive
  /** What is committed. */
  onCommitted(derived: readonly Derived[]): void
}

const withParent = <Record extends OutRecord>(record: Record, span: Span): Record => ({
  ...record,
  headers: { ...record.headers, [traceparent]: span.traceparent },
})

function endFiltered(span: Span): undefined {
  span.tell({ 'weir.outcome': 'filtered' })
  span.end()
}

export function traceDerive(
  tracing: Tracing,
  derive: Derive,
  { stream, input }: { stream: DerivedStream; input: InputStream },
): TracedDerive {
  const spans = new WeakMap<object, Span>()
  const names = {
    'weir.stream': topicOf(stream),
    'messaging.system': 'kafka',
    'messaging.operation.type': 'process',
    'messaging.destination.name': topicOf(input),
    'messaging.consumer.group.name': groupOf(stream),
  }
  const begin = (record: SourceRecord): Span | undefined =>
    tracing.begin({
      name: `derive ${names['weir.stream']}`,
      kind: 'consumer',
      parent: record.headers[traceparent]?.toString('latin1'),
      attributes: {
        ...names,
        'weir.contract': record.headers['svc-schema-id']?.toString('utf8') ?? '',
        'messaging.destination.partition.id': String(record.partition),
        'messaging.kafka.offset': Number(record.offset),
      },
    })

  return {
    derive(record) {
      const span = record.headers[traceparent] === undefined ? undefined : begin(record)
      if (span === undefined) return derive(record)
      const derived = derive(record)
      if (derived === undefined) return endFiltered(span)
      const traced = withParent(derived, span)
      spans.set(traced, span)
      return traced
    },
    onCommitted(derived) {
      for (const one of derived) if (one !== undefined) spans.get(one)?.end()
    },
  }
}
