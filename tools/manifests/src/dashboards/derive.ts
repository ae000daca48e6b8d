// The dashboard of the output service: deriving streams, and sending them to WebSockets.

import { processPanels } from './dashboard.ts'
import type { Dashboard } from './dashboard.ts'

export const derive: Dashboard = {
  uid: 'weir-derive',
  title: 'Weir: derived streams',
  panels: [
    {
      title: 'Events read by derivers',
      help: 'Passed: the consent of the event permits it. Filtered: it does not.',
      unit: 'short',
      queries: [['sum by (outcome) (rate(svc_output_events_total[5m]))', '{{outcome}}, a second']],
    },
    {
      title: 'Lag, the ten largest',
      unit: 'short',
      queries: [['topk(10, sum by (stream) (svc_output_lag_events))', '{{stream}}']],
    },
    {
      title: 'Replicas that may derive',
      help: 'Replicas that have read their own heartbeat in the last 10 s. If there is none, nothing is derived.',
      unit: 'short',
      queries: [['sum(svc_output_lease_held)', 'may derive']],
    },
    {
      title: 'Failed attempts to derive',
      help: 'Output repeats them until they succeed. not_known_yet: a key is missing, and the partition waits for it. position_lost: the partition stops.',
      unit: 'short',
      queries: [['sum by (code) (rate(svc_output_derive_failures_total[5m]))', '{{code}}']],
    },
    {
      title: 'Dead-lettered records',
      help: 'Records that cannot be derived. Ingest never writes such records.',
      unit: 'short',
      queries: [
        ['sum by (code) (increase(svc_output_dead_total[1h]))', '{{code}}, in an hour'],
        ['sum by (outcome) (increase(svc_output_dead_retried_total[1h]))', 'retried: {{outcome}}'],
      ],
    },
    {
      title: 'Lost by retention',
      help: 'Events that retention removed before they were derived. This must stay 0.',
      unit: 'short',
      queries: [['sum(increase(svc_output_events_lost_to_retention_total[1h]))', 'in an hour']],
    },
    {
      title: 'Fields delivered encrypted because their keys are erased',
      unit: 'short',
      queries: [['sum(rate(svc_output_undecryptable_fields_total[5m]))', 'a second']],
    },
    {
      title: 'WebSockets',
      unit: 'short',
      queries: [
        ['sum(svc_output_ws_clients)', 'open'],
        ['sum(increase(svc_output_ws_too_slow_total[1h]))', 'closed as too slow, in an hour'],
      ],
    },
    {
      title: 'Messages to WebSockets',
      unit: 'short',
      queries: [['sum(rate(svc_output_ws_messages_total[5m]))', 'a second']],
    },
    ...processPanels('weir-output'),
  ],
}
