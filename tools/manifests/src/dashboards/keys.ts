// The dashboard of authentication, and of the distribution of keys to services.

import { processPanels } from './dashboard.ts'
import type { Dashboard } from './dashboard.ts'

export const keys: Dashboard = {
  uid: 'weir-keys',
  title: 'Weir: keys, tokens and changes',
  panels: [
    {
      title: 'Partitions that wait for a key',
      help: 'Attempts per second that ended with not_known_yet. If this continues, the KEK file of output does not contain a version that is needed.',
      unit: 'short',
      queries: [
        [
          'sum(rate(svc_output_derive_failures_total{code="not_known_yet"}[5m]))',
          'attempts a second',
        ],
      ],
    },
    {
      title: 'Fields whose keys are erased',
      unit: 'short',
      queries: [['sum(rate(svc_output_undecryptable_fields_total[5m]))', 'a second']],
    },
    {
      title: 'Tokens issued',
      unit: 'reqps',
      queries: [['sum by (grant) (rate(svc_auth_tokens_issued_total[5m]))', '{{grant}}']],
    },
    {
      title: 'Tokens refused',
      unit: 'reqps',
      queries: [['sum by (code) (rate(svc_auth_tokens_refused_total[5m]))', '{{code}}']],
    },
    {
      title: 'Changes of control state',
      unit: 'short',
      queries: [['sum by (outcome) (rate(svc_auth_changes_total[5m]))', '{{outcome}}']],
    },
    {
      title: 'Deleted streams that are not cleaned up yet',
      help: 'Their topics, groups and keys are removed within seconds, unless Kafka refuses.',
      unit: 'none',
      queries: [['max(svc_auth_clean_ups_pending)', 'streams']],
    },
    {
      title: 'Time until the certificates of the ports expire',
      unit: 's',
      queries: [['min by (job) (weir_tls_certificate_expiry_seconds)', '{{job}}']],
    },
    {
      title: "Auth's responses",
      unit: 'reqps',
      queries: [['sum by (status) (rate(svc_auth_requests_total[5m]))', '{{status}}']],
    },
    {
      title: "Auth's response time, 99th percentile",
      unit: 's',
      queries: [
        [
          'histogram_quantile(0.99, sum by (le, route) (rate(svc_auth_request_duration_seconds_bucket[5m])))',
          '{{route}}',
        ],
      ],
    },
    ...processPanels('weir-auth'),
  ],
}
