// The dashboard of receiving events.

import { processPanels } from './dashboard.ts'
import type { Dashboard } from './dashboard.ts'

const quantile = (q: number, metric: string) =>
  `histogram_quantile(${q}, sum by (le) (rate(${metric}_bucket[5m])))`

export const ingest: Dashboard = {
  uid: 'weir-ingest',
  title: 'Weir: ingest',
  panels: [
    {
      title: 'Responses',
      help: '204 and 200: stored. 503: stored or not stored, and the producer should send the event again.',
      unit: 'reqps',
      queries: [['sum by (status) (rate(svc_ingest_requests_total[5m]))', '{{status}}']],
    },
    {
      title: 'Refusals, by code',
      unit: 'reqps',
      queries: [
        ['sum by (code) (rate(svc_ingest_requests_total{code!="none"}[5m]))', '{{code}}'],
        ['sum by (code) (rate(svc_ingest_events_total{code!="none"}[5m]))', '{{code}}, in a batch'],
      ],
    },
    {
      title: 'Events stored',
      help: 'Events of POST /event and of POST /events.',
      unit: 'short',
      queries: [
        ['sum(rate(svc_ingest_batch_records_sum[5m]))', 'all, a second'],
        ['sum(rate(svc_ingest_events_total{code="none"}[5m]))', 'in batches'],
      ],
    },
    {
      title: 'Response time',
      unit: 's',
      queries: [
        [quantile(0.5, 'svc_ingest_request_seconds'), 'half'],
        [quantile(0.99, 'svc_ingest_request_seconds'), '99 %'],
      ],
    },
    {
      title: "Time to Kafka's acknowledgement",
      unit: 's',
      queries: [
        [quantile(0.5, 'svc_ingest_produce_seconds'), 'half'],
        [quantile(0.99, 'svc_ingest_produce_seconds'), '99 %'],
      ],
    },
    {
      title: 'Bytes on the way to Kafka',
      help: 'Near IN_FLIGHT_BYTES_MAX requests first wait, and then get 503.',
      unit: 'bytes',
      queries: [['svc_ingest_in_flight_bytes', '{{instance}}']],
    },
    {
      title: 'Bytes stored',
      unit: 'Bps',
      queries: [['sum(rate(svc_ingest_stored_bytes_total[5m]))', 'stored']],
    },
    {
      title: 'Events in a produce request',
      help: 'This number grows with the load. Large batches need less CPU time per event.',
      unit: 'short',
      queries: [
        [
          'sum(rate(svc_ingest_batch_records_sum[5m])) / sum(rate(svc_ingest_batch_records_count[5m]))',
          'on average',
        ],
      ],
    },
    ...processPanels('weir-ingest'),
  ],
}
