// Creates a span for each traced input record, from its derivation until the result is stored. Only a stored or
// filtered record ends its span, so a failed attempt leaves no span.
import type { SourceRecord } from '@weir/kafka'
import type { DerivedStream, InputStream } from '@weir/control-state'
import { groupOf, topicOf } from '@weir/control-state'
import type { Span, Tracing } from '@weir/trace'

const traceparent = 'traceparent'

type Traced = {
  readonly stream: DerivedStream
  readonly input: InputStream
  readonly kafkaPrefix: string
}

/** The returned function returns undefined for a record that isn't traced. */
export function spansOf(
  tracing: Tracing,
  { stream, input, kafkaPrefix }: Traced,
): (record: SourceRecord) => Span | undefined {
  const names = {
    'weir.stream': topicOf(stream),
    'messaging.system': 'kafka',
    'messaging.operation.type': 'process',
    'messaging.destination.name': kafkaPrefix + topicOf(input),
    'messaging.consumer.group.name': kafkaPrefix + groupOf(stream),
  }
  return (record) => {
    const parent = record.headers[traceparent]?.toString('latin1')
    if (parent === undefined) return undefined
    return tracing.begin({
      name: `derive ${names['weir.stream']}`,
      kind: 'consumer',
      parent,
      attributes: {
        ...names,
        'weir.contract': record.headers['svc-schema-id']?.toString('utf8') ?? '',
        'messaging.destination.partition.id': String(record.partition),
        'messaging.kafka.offset': Number(record.offset),
      },
    })
  }
}
