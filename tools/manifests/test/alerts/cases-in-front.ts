// Alerts of all services, and of ingest.
import type { Case } from './case.ts'

const everyJob = ['weir-auth', 'weir-ingest', 'weir-output']
const others = (job: string, name: string, values = '1x120'): Record<string, string> =>
  Object.fromEntries(
    everyJob
      .filter((each) => each !== job)
      .map((each) => [`${name}{job="${each}", instance="z"}`, values]),
  )
const up = (job: string, instance: string) => `up{job="${job}", instance="${instance}"}`
const ready = (instance: string) => `weir_ready{job="weir-ingest", instance="${instance}"}`
const answers = (status: number) => `svc_ingest_requests_total{status="${status}"}`

export const casesInFront: readonly Case[] = [
  {
    alert: 'WeirServiceDown',
    at: 5,
    fires: {
      ...others('weir-ingest', 'up'),
      [up('weir-ingest', 'a')]: '0x10',
      [up('weir-ingest', 'b')]: '0x10',
    },
    quiet: {
      ...others('weir-ingest', 'up'),
      [up('weir-ingest', 'a')]: '0x10',
      [up('weir-ingest', 'b')]: '1x10',
    },
  },
  {
    // nothing is scraped any more, because the namespace, the monitors or their labels are gone
    alert: 'WeirServiceDown',
    at: 20,
    fires: { ...others('weir-output', 'up'), [up('weir-output', 'a')]: '1x5 stale' },
    quiet: { ...others('weir-output', 'up'), [up('weir-output', 'a')]: '1x15 stale 1x10' },
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
    fires: {
      ...others('weir-ingest', 'weir_ready'),
      [ready('a')]: '0x10',
      [ready('b')]: '0x10',
    },
    quiet: {
      ...others('weir-ingest', 'weir_ready'),
      [ready('a')]: '0x10',
      [ready('b')]: '1x10',
    },
  },
  {
    alert: 'WeirServiceNotReady',
    at: 20,
    fires: { ...others('weir-ingest', 'weir_ready'), [ready('a')]: '1x5 stale' },
    quiet: { ...others('weir-ingest', 'weir_ready'), [ready('a')]: '1x30' },
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
    // the certificate was replaced in time
    quiet: { 'weir_tls_certificate_expiry_seconds{job="weir-auth"}': '500000x30 7000000x50' },
  },
  {
    alert: 'WeirCertificateNotTaken',
    at: 90,
    fires: { 'weir_tls_reload_failures_total{job="weir-auth"}': '_x80 1x20' },
    quiet: { 'weir_tls_reload_failures_total{job="weir-auth"}': '1x100' },
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
    // quiet: one of a night's four requests is refused
    alert: 'WeirIngestRefuses',
    at: 10,
    fires: { [answers(204)]: '0x10', [answers(503)]: '0+20x10' },
    quiet: { [answers(204)]: '0 0 0 1 1 2 3 3 3 3 3', [answers(503)]: '0 0 0 0 1 1 1 1 1 1 1' },
  },
  {
    alert: 'WeirIngestBudgetBurns',
    at: 70,
    // 2 % of all requests are refused, for an hour
    fires: { [answers(204)]: '0+98x80', [answers(503)]: '0+2x80' },
    quiet: { [answers(204)]: '0+98x80', [answers(400)]: '0+90x80', [answers(503)]: '0+0.5x80' },
  },
  {
    // quiet: one of a night's four requests is refused; in the next case, a burst has ended an hour ago
    alert: 'WeirIngestBudgetBurns',
    at: 80,
    fires: { [answers(503)]: '0+1x90' },
    quiet: { [answers(204)]: '0x70 1 2 3x20', [answers(503)]: '0x70 1x20' },
  },
  {
    alert: 'WeirIngestBudgetBurns',
    at: 80,
    fires: { [answers(204)]: '0+98x90', [answers(500)]: '0+2x90' },
    quiet: { [answers(204)]: '0+98x90', [answers(503)]: '0x20 200x70' },
  },
  {
    alert: 'WeirIngestBudgetLeaks',
    at: 300,
    fires: { [answers(204)]: '0+995x320', [answers(503)]: '0+5x320' },
    quiet: { [answers(204)]: '0+9995x320', [answers(503)]: '0+5x320' },
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
]
