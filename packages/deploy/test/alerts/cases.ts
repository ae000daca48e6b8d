// When each alert fires, and the nearest thing that must not make it fire. Values are as promtool reads them:
// `0+1x10` is a series of eleven values, a minute apart, that grows by one.

export type Case = {
  alert: string
  /** After so many minutes. */
  at: number
  fires: Readonly<Record<string, string>>
  quiet: Readonly<Record<string, string>>
}

const up = (job: string, instance: string) => `up{job="${job}", instance="${instance}"}`
const ready = (instance: string) => `weir_ready{job="weir-ingest", instance="${instance}"}`
const answers = (status: number) => `svc_ingest_requests_total{status="${status}"}`
const authAnswers = (status: number) => `svc_auth_requests_total{status="${status}"}`
const failures = (code: string) => `svc_output_derive_failures_total{code="${code}"}`
const inSync = 'kafka_topic_partition_in_sync_replica{topic="acme.clicks", partition="0"}'
const copies = 'kafka_topic_partition_replicas{topic="acme.clicks", partition="0"}'

export const cases: readonly Case[] = [
  {
    alert: 'WeirServiceDown',
    at: 5,
    fires: { [up('weir-ingest', 'a')]: '0x10', [up('weir-ingest', 'b')]: '0x10' },
    quiet: { [up('weir-ingest', 'a')]: '0x10', [up('weir-ingest', 'b')]: '1x10' },
  },
  {
    alert: 'WeirReplicaDown',
    at: 8,
    fires: { [up('weir-output', 'a')]: '0x10', [up('weir-output', 'b')]: '1x10' },
    quiet: { [up('weir-output', 'a')]: '1x5 0 0 1x5', [up('somebody-else', 'a')]: '0x10' },
  },
  {
    alert: 'WeirServiceNotReady',
    at: 5,
    fires: { [ready('a')]: '0x10', [ready('b')]: '0x10' },
    quiet: { [ready('a')]: '0x10', [ready('b')]: '1x10' },
  },
  {
    alert: 'WeirReplicaNotReady',
    at: 8,
    fires: { [ready('a')]: '0x10', [ready('b')]: '1x10' },
    quiet: { [ready('a')]: '0 0 0 1x10' },
  },
  {
    alert: 'WeirCertificateExpires',
    at: 70,
    fires: { 'weir_tls_certificate_expiry_seconds{job="weir-auth"}': '500000-60x80' },
    // replaced in time
    quiet: { 'weir_tls_certificate_expiry_seconds{job="weir-auth"}': '500000x30 7000000x50' },
  },
  {
    alert: 'WeirCertificateNotTaken',
    at: 10,
    fires: { 'weir_tls_reload_failures_total{job="weir-auth"}': '0 0 1x10' },
    quiet: { 'weir_tls_reload_failures_total{job="weir-auth"}': '1x10' },
  },
  {
    alert: 'WeirEventLoopLate',
    at: 15,
    fires: { 'nodejs_eventloop_lag_p99_seconds{job="weir-ingest"}': '0.8x20' },
    quiet: { 'nodejs_eventloop_lag_p99_seconds{job="weir-ingest"}': '0.05x20' },
  },
  {
    alert: 'WeirIngestRefuses',
    at: 10,
    fires: { [answers(204)]: '0+6000x10', [answers(503)]: '0+120x10' },
    quiet: { [answers(204)]: '0+6000x10', [answers(503)]: '0+6x10', [answers(400)]: '0+600x10' },
  },
  {
    alert: 'WeirIngestFails',
    at: 10,
    fires: { [answers(500)]: '0+1x10' },
    quiet: { [answers(500)]: '7x10', [answers(503)]: '0+1x10' },
  },
  {
    alert: 'WeirIngestSlow',
    at: 20,
    fires: {
      'svc_ingest_request_seconds_bucket{le="1"}': '0+90x20',
      'svc_ingest_request_seconds_bucket{le="5"}': '0+100x20',
      'svc_ingest_request_seconds_bucket{le="+Inf"}': '0+100x20',
    },
    quiet: {
      'svc_ingest_request_seconds_bucket{le="0.5"}': '0+100x20',
      'svc_ingest_request_seconds_bucket{le="+Inf"}': '0+100x20',
    },
  },
  {
    alert: 'WeirIngestFull',
    at: 5,
    fires: { svc_ingest_in_flight_bytes: '30000000x10' },
    quiet: { svc_ingest_in_flight_bytes: '16000000x10' },
  },
  {
    alert: 'WeirEventsLost',
    at: 10,
    fires: { svc_output_events_lost_to_retention_total: '0 0 0 12x10' },
    quiet: { svc_output_events_lost_to_retention_total: '12x10' },
  },
  {
    alert: 'WeirKeyMissing',
    at: 10,
    fires: { [failures('not_known_yet')]: '0+2x10' },
    quiet: { [failures('not_known_yet')]: '3x10', [failures('timeout')]: '0+2x10' },
  },
  {
    alert: 'WeirDerivingFails',
    at: 30,
    fires: { [failures('timeout')]: '0+1x30' },
    quiet: { [failures('timeout')]: '4x30', [failures('not_known_yet')]: '0+2x30' },
  },
  {
    alert: 'WeirDerivingBehind',
    at: 35,
    fires: { 'svc_output_lag_events{stream="acme.clicks-0"}': '0+1000x40' },
    // far behind, but catching up
    quiet: { 'svc_output_lag_events{stream="acme.clicks-0"}': '900000-20000x40' },
  },
  {
    alert: 'WeirDeadRecords',
    at: 10,
    fires: { 'svc_output_dead_total{code="corrupt"}': '0 0 1x10' },
    quiet: { 'svc_output_dead_total{code="corrupt"}': '5x10' },
  },
  {
    alert: 'WeirWebSocketsTooSlow',
    at: 10,
    fires: { svc_output_ws_too_slow_total: '0+5x10' },
    quiet: { svc_output_ws_too_slow_total: '0 1 2 3x10' },
  },
  {
    alert: 'WeirAuthFails',
    at: 15,
    fires: { [authAnswers(200)]: '0+100x15', [authAnswers(503)]: '0+10x15' },
    quiet: { [authAnswers(200)]: '0+100x15', [authAnswers(401)]: '0+50x15' },
  },
  {
    alert: 'WeirChangesFail',
    at: 25,
    fires: { 'svc_auth_changes_total{outcome="failed"}': '0+1x30' },
    quiet: { 'svc_auth_changes_total{outcome="refused"}': '0+1x30' },
  },
  {
    alert: 'WeirCleanUpStuck',
    at: 70,
    fires: { svc_auth_clean_ups_pending: '1x80' },
    quiet: { svc_auth_clean_ups_pending: '2x30 0x50' },
  },
  {
    alert: 'WeirTokensRefused',
    at: 20,
    fires: { 'svc_auth_tokens_refused_total{code="invalid_credentials"}': '0+600x20' },
    quiet: { 'svc_auth_tokens_refused_total{code="invalid_credentials"}': '0+60x20' },
  },
  {
    alert: 'WeirKafkaRefusesWrites',
    at: 5,
    fires: { [inSync]: '1x10', [copies]: '3x10' },
    // a trial's single node
    quiet: { [inSync]: '1x10', [copies]: '1x10' },
  },
  {
    alert: 'WeirKafkaUnderReplicated',
    at: 15,
    fires: { 'kafka_topic_partition_under_replicated_partition{topic="t"}': '1x20' },
    quiet: { 'kafka_topic_partition_under_replicated_partition{topic="t"}': '1x5 0x15' },
  },
  {
    alert: 'WeirKafkaBrokerMissing',
    at: 20,
    fires: { kafka_brokers: '3x10 2x15' },
    quiet: { kafka_brokers: '3x25' },
  },
]
