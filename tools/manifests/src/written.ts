// The generated files: dashboards for Grafana, and the alerts for the Prometheus operator. `node
// tools/manifests/src/write.ts` writes them, and a test compares them with the code.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { derive } from './dashboards/derive.ts'
import { grafanaJson } from './dashboards/dashboard.ts'
import type { Dashboard } from './dashboards/dashboard.ts'
import { ingest } from './dashboards/ingest.ts'
import { kafka } from './dashboards/kafka.ts'
import { keys } from './dashboards/keys.ts'
import { REPOSITORY } from '@weir/devstack'

const MONITORING = 'k8s/components/monitoring'
export const ALERTS = `${MONITORING}/alerts.yaml`
export const DASHBOARDS: readonly Dashboard[] = [ingest, derive, keys, kafka]

export async function writtenFiles(): Promise<Map<string, string>> {
  const alerts = await readFile(join(REPOSITORY, ALERTS), 'utf8')
  return new Map([
    [`${MONITORING}/prometheus-rule.yaml`, prometheusRule(alerts)],
    ...DASHBOARDS.map(
      (each) => [`${MONITORING}/dashboards/${each.uid}.json`, grafanaJson(each)] as const,
    ),
  ])
}

function prometheusRule(alerts: string): string {
  const rules = alerts.replace(/^(?:#.*\n)+/, '').replaceAll(/^(?=.)/gm, '  ')
  return `# Made by tools/manifests/src/write.ts from alerts.yaml.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: weir
  labels: { app.kubernetes.io/part-of: weir }
spec:
${rules}`
}
