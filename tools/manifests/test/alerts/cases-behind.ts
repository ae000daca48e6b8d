// Alerts of output, auth, Kafka and backups.
import type { Case } from './case.ts'

const authAnswers = (status: number) => `svc_auth_requests_total{status="${status}"}`
const failures = (code: string) => `svc_output_derive_failures_total{code="${code}"}`
const inSync = 'kafka_topic_partition_in_sync_replica{topic="acme.clicks", partition="0"}'
const copies = 'kafka_topic_partition_replicas{topic="acme.clicks", partition="0"}'

const volume = (metric: string, claim = 'data-0-weir-brokers-1') =>
  `kubelet_volume_stats_${metric}_bytes{namespace="weir", persistentvolumeclaim="${claim}"}`
const [free, size] = [volume('available'), volume('capacity')]
const anotherFree = volume('available', 'data-of-somebody-else')
const lastBackup =
  'kube_cronjob_status_last_successful_time{namespace="weir", cronjob="weir-backup"}'

export const casesBehind: readonly Case[] = [
  {
    alert: 'WeirEventsLost',
    at: 90,
    fires: { svc_output_events_lost_to_retention_total: '0x80 12x20' },
    quiet: { svc_output_events_lost_to_retention_total: '12x100' },
  },
  {
    // all events were lost before the first scrape of a new process
    alert: 'WeirEventsLost',
    at: 90,
    fires: { svc_output_events_lost_to_retention_total: '_x80 12x20' },
    quiet: { svc_output_events_lost_to_retention_total: '_x80 0x20' },
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
    quiet: {
      [failures('timeout')]: '4x30',
      [failures('not_known_yet')]: '0+2x30',
      [failures('position_lost')]: '0+2x30',
    },
  },
  {
    alert: 'WeirPositionLost',
    at: 10,
    fires: { [failures('position_lost')]: '0x5 2+2x5' },
    quiet: { [failures('position_lost')]: '3x10', [failures('not_known_yet')]: '0+2x10' },
  },
  {
    // each replica reports its own partitions
    alert: 'WeirDerivingBehind',
    at: 35,
    fires: {
      'svc_output_lag_events{stream="acme.clicks-0", instance="a"}': '0+270x40',
      'svc_output_lag_events{stream="acme.clicks-0", instance="b"}': '0+270x40',
    },
    quiet: {
      'svc_output_lag_events{stream="acme.clicks-0", instance="a"}': '0+270x40',
      'svc_output_lag_events{stream="acme.clicks-1", instance="b"}': '0+270x40',
    },
  },
  {
    alert: 'WeirDerivingStopped',
    at: 10,
    fires: { 'svc_output_lease_held{job="weir-output"}': '1x5 0x10' },
    // one replica of two derives everything
    quiet: {
      'svc_output_lease_held{job="weir-output", pod="a"}': '0x20',
      'svc_output_lease_held{job="weir-output", pod="b"}': '1x20',
    },
  },
  {
    alert: 'WeirDerivingBehind',
    at: 35,
    fires: { 'svc_output_lag_events{stream="acme.clicks-0"}': '0+1000x40' },
    // far behind, but catching up
    quiet: { 'svc_output_lag_events{stream="acme.clicks-0"}': '900000-20000x40' },
  },
  {
    alert: 'WeirDerivingBudgetBurns',
    at: 400,
    fires: { 'svc_output_lag_events{stream="acme.clicks-0"}': '20x385 20000x40' },
    // a backlog that ended more than ten minutes ago, and a stream that is always a little behind
    quiet: {
      'svc_output_lag_events{stream="acme.clicks-0"}': '20x375 20000x10 20x40',
      'svc_output_lag_events{stream="acme.clicks-1"}': '9000x420',
    },
  },
  {
    alert: 'WeirDerivingBudgetLeaks',
    at: 1500,
    fires: { 'svc_output_lag_events{stream="acme.clicks-0"}': '20x1400 20000x150' },
    quiet: { 'svc_output_lag_events{stream="acme.clicks-0"}': '20x1490 20000x5 20x50' },
  },
  {
    alert: 'WeirDeadRecords',
    at: 90,
    fires: { 'svc_output_dead_total{code="corrupt"}': '0x80 1x20' },
    quiet: { 'svc_output_dead_total{code="corrupt"}': '5x100' },
  },
  {
    // 500 dead letters between two scrapes, with a code that was never seen before
    alert: 'WeirDeadRecords',
    at: 90,
    fires: { 'svc_output_dead_total{code="corrupt"}': '_x85 500x20' },
    quiet: { 'svc_output_dead_total{code="corrupt"}': '_x85 0x20' },
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
    // 20 failures between two scrapes, and none before or after
    alert: 'WeirChangesFail',
    at: 35,
    fires: { 'svc_auth_changes_total{outcome="failed"}': '_x30 20x20' },
    quiet: { 'svc_auth_changes_total{outcome="failed"}': '20x50' },
  },
  {
    alert: 'WeirCleanUpStuck',
    at: 70,
    fires: { svc_auth_clean_ups_pending: '1x80' },
    quiet: { svc_auth_clean_ups_pending: '2x30 0x50' },
  },
  {
    alert: 'WeirErasureOverdue',
    at: 20,
    fires: { 'svc_auth_erasures_oldest_seconds{state="accepted"}': '0 60+60x30' },
    quiet: {
      'svc_auth_erasures_oldest_seconds{state="accepted"}': '0 60 0 60 0x30',
      'svc_auth_erasures_oldest_seconds{state="applied"}': '0+60x60',
    },
  },
  {
    alert: 'WeirErasureOverdue',
    at: 130,
    fires: { 'svc_auth_erasures_oldest_seconds{state="applied"}': '0+60x140' },
    quiet: { 'svc_auth_erasures_oldest_seconds{state="applied"}': '0+60x70 0x70' },
  },
  {
    alert: 'WeirErasuresNearLimit',
    at: 10,
    fires: { svc_auth_erasures_used_share: '0.9x20' },
    quiet: { svc_auth_erasures_used_share: '0.5x20' },
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
    // a trial with a single node
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
  {
    alert: 'WeirKafkaDiskFills',
    at: 60,
    fires: { [free]: '20x100', [size]: '100x100' },
    quiet: { [free]: '40x100', [size]: '100x100', [anotherFree]: '1x100' },
  },
  {
    // the disk fills within 40 hours
    alert: 'WeirKafkaDiskFills',
    at: 400,
    fires: { [free]: '100000-40x500', [size]: '200000x500' },
    quiet: { [free]: '100000-10x500', [size]: '200000x500' },
  },
  {
    alert: 'WeirKafkaDiskFull',
    at: 10,
    fires: { [free]: '5x20', [size]: '100x20' },
    quiet: { [free]: '15x20', [size]: '100x20', [anotherFree]: '1x20' },
  },
  {
    alert: 'WeirBackupOld',
    at: 240,
    fires: { [lastBackup]: '0x260' },
    quiet: { [lastBackup]: '0x200 12000x60' },
  },
  {
    // backups are scheduled, but no backup has ever succeeded
    alert: 'WeirBackupOld',
    at: 240,
    fires: { 'kube_cronjob_created{namespace="weir", cronjob="weir-backup"}': '0x260' },
    quiet: { 'kube_cronjob_created{namespace="weir", cronjob="weir-backup"}': '_x200 12000x60' },
  },
]
