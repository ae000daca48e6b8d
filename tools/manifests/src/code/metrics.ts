// The metrics that exist: those that our sources declare, and those of Node, Kafka's exporter, Kubernetes and
// Prometheus.

import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createMetrics } from '@weir/kit'

import { REPOSITORY } from '@weir/devstack'

/** The labels of each metric, by name. */
export type Metrics = Map<string, readonly string[]>

/** The metrics of danielqsj/kafka-exporter 1.9, also used by Strimzi. Its Go source is not available here. */
const KAFKA_EXPORTER: Metrics = new Map<string, readonly string[]>([
  ['kafka_brokers', []],
  ['kafka_topic_partitions', ['topic']],
  ...[
    'kafka_topic_partition_current_offset',
    'kafka_topic_partition_oldest_offset',
    'kafka_topic_partition_in_sync_replica',
    'kafka_topic_partition_leader',
    'kafka_topic_partition_leader_is_preferred',
    'kafka_topic_partition_replicas',
    'kafka_topic_partition_under_replicated_partition',
  ].map((name) => [name, ['topic', 'partition']] as const),
  ...['kafka_consumergroup_current_offset', 'kafka_consumergroup_lag'].map(
    (name) => [name, ['consumergroup', 'topic', 'partition']] as const,
  ),
  ...['kafka_consumergroup_current_offset_sum', 'kafka_consumergroup_lag_sum'].map(
    (name) => [name, ['consumergroup', 'topic']] as const,
  ),
  ['kafka_consumergroup_members', ['consumergroup']],
])

/** The metrics of the kubelet and of kube-state-metrics that we use. */
const KUBERNETES: Metrics = new Map<string, readonly string[]>([
  ['kubelet_volume_stats_available_bytes', ['persistentvolumeclaim']],
  ['kubelet_volume_stats_capacity_bytes', ['persistentvolumeclaim']],
  ['kube_cronjob_created', ['cronjob']],
  ['kube_cronjob_status_last_successful_time', ['cronjob']],
])

const PROMETHEUS: Metrics = new Map<string, readonly string[]>([['up', []]])

export async function allMetrics(): Promise<Metrics> {
  const own = await Promise.all(globSync(SOURCES, { cwd: REPOSITORY }).map(declaredIn))
  const elsewhere = [...KAFKA_EXPORTER, ...KUBERNETES, ...PROMETHEUS]
  return new Map([...own.flat(), ...(await ofEveryProcess()), ...elsewhere])
}

export async function metricsOf(service: string): Promise<Metrics> {
  const files = globSync(`services/${service}/src/**/*.ts`, { cwd: REPOSITORY })
  return new Map((await Promise.all(files.map(declaredIn))).flat())
}

const SOURCES = '{services,packages,clients,tools}/*/src/**/*.ts'
const DECLARATION =
  /new (Counter|Gauge|Histogram|Summary)(?:<[^>]*>)?\(\{\s*name: '([a-z0-9_]+)',(?:(?!new (?:Counter|Gauge)).){0,400}?(?:labelNames: \[([^\]]*)\]|registers)/gs

async function declaredIn(file: string): Promise<[string, readonly string[]][]> {
  const source = await readFile(join(REPOSITORY, file), 'utf8')
  return [...source.matchAll(DECLARATION)].flatMap(([, kind = '', name = '', labels = '']) => {
    const names = [...labels.matchAll(/'(\w+)'/g)].map(([, label = '']) => label)
    return seriesOf(kind.toLowerCase(), name).map((series): [string, string[]] => [series, names])
  })
}

async function ofEveryProcess(): Promise<[string, readonly string[]][]> {
  const metrics = await createMetrics('any').getMetricsAsJSON()
  return metrics.flatMap(({ name, type }) =>
    seriesOf(String(type), name).map((series): [string, string[]] => [series, []]),
  )
}

function seriesOf(kind: string, name: string): string[] {
  return kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
}

/** Returns the metrics in an expression, each with the labels in its selector. */
export function askedBy(expression: string): [metric: string, labels: string[]][] {
  const asked = expression.matchAll(
    /\b((?:svc|weir|kafka|kube|kubelet|process|nodejs)_[a-z0-9_]+|up)\b(\{[^}]*\})?/g,
  )
  return [...asked].map(([, metric = '', selector = '']) => [
    metric,
    [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  ])
}

/** Labels that every series may have, from the service's metrics registry and from Prometheus. */
export const COMMON_LABELS = ['job', 'instance', 'service', 'le', 'pod', 'namespace'] as const
