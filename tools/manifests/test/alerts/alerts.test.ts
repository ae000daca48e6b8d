// Checks that the metrics and labels in alerts and dashboards exist in the code. Compares alerts with their pages.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'

import { allMetrics, askedBy, COMMON_LABELS, metricsOf } from '../../src/code/metrics.ts'
import { at, objectsOf, manifestTextAt } from '../../src/json.ts'
import { REPOSITORY } from '@weir/devstack'
import { ALERTS, DASHBOARDS, writtenFiles } from '../../src/written.ts'
import { cases } from './cases.ts'

const read = (path: string): Promise<string> => readFile(join(REPOSITORY, path), 'utf8')

const rules: unknown = parse(await read(ALERTS))
const alerts = objectsOf(at(rules, 'groups')).flatMap((group) => objectsOf(group['rules']))
const names = alerts.map((alert) => manifestTextAt(alert, 'alert'))
const known = await allMetrics()

function unknownIn(expression: string): string[] {
  return askedBy(expression).flatMap(([metric, labels]) => {
    const own = known.get(metric)
    if (own === undefined) return [metric]
    const there: readonly string[] = [...own, ...COMMON_LABELS]
    return labels.filter((label) => !there.includes(label)).map((label) => `${metric}{${label}}`)
  })
}

test('the sources are read: counters, gauges, histograms, with their labels', () => {
  expect(known.get('svc_ingest_requests_total')).toEqual(['status', 'code'])
  expect(known.get('svc_ingest_request_seconds_bucket')).toEqual([])
  expect(known.get('svc_output_lag_events')).toEqual(['stream'])
  expect(known.has('svc_ingest_request_seconds')).toBe(false)
  expect(unknownIn('rate(svc_nothing_total{a="b"}[5m])')).toEqual(['svc_nothing_total'])
  expect(unknownIn('svc_output_lag_events{colour="red"}')).toEqual([
    'svc_output_lag_events{colour}',
  ])
})

test('every metric of a service is in docs/operations.md, and no other', async () => {
  const document = await read('docs/operations.md')
  const items = [...document.matchAll(/^- (`(?:svc|weir)_[^:]*):/gm)].map(([, item]) => item)
  const documented = items.flatMap((item) => item?.match(/(?:svc|weir)_[a-z_]+/g) ?? [])
  const services = await Promise.all(['auth', 'ingest', 'output'].map(metricsOf))
  const own = services.flatMap((metrics) => [...metrics.keys()])
  const declared = own.map((name) => name.replace(/(_seconds|_records)_(bucket|sum|count)$/, '$1'))
  expect(declared.filter((name) => !documented.includes(name))).toEqual([])
  const there = new Set([...declared, ...known.keys()])
  expect(documented.filter((name) => !there.has(name))).toEqual([])
})

describe('alerts', () => {
  test('have names of their own', () => {
    expect(names.length).toBeGreaterThan(15)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(alerts.map((alert) => [manifestTextAt(alert, 'alert'), alert] as const))(
    '%s asks for metrics that there are, and leads to its page',
    async (name, alert) => {
      expect(unknownIn(manifestTextAt(alert, 'expr'))).toEqual([])
      expect(askedBy(manifestTextAt(alert, 'expr')).length).toBeGreaterThan(0)
      expect(manifestTextAt(alert, 'labels', 'severity')).toMatch(/^(critical|warning)$/)
      expect(manifestTextAt(alert, 'annotations', 'summary')).not.toBe('')
      const url = new URL(manifestTextAt(alert, 'annotations', 'runbook_url'))
      expect(url.pathname).toBe(`/docs/runbooks/${name}.md`)
      expect(await read(url.pathname.slice(1))).toMatch(new RegExp(`^# ${name}\n`))
    },
  )

  test('each page is of an alert, and in the list of pages', async () => {
    const pages = (await readdir(join(REPOSITORY, 'docs/runbooks'))).filter(
      (page) => page !== 'README.md',
    )
    expect(new Set(pages)).toEqual(new Set(names.map((name) => `${name}.md`)))
    const list = await read('docs/runbooks/README.md')
    expect(names.filter((name) => !list.includes(`[${name}](${name}.md)`))).toEqual([])
  })

  test('each is tried with what makes it fire and with what must not', () => {
    expect(new Set(cases.map(({ alert }) => alert))).toEqual(new Set(names))
  })
})

describe.each(DASHBOARDS.map((dashboard) => [dashboard.title, dashboard] as const))(
  'the dashboard «%s»',
  (_title, { panels }) => {
    test.each(panels.map((panel) => [panel.title, panel] as const))(
      '%s asks for metrics that there are',
      (_panel, { queries }) => {
        for (const [expression] of queries) {
          expect(unknownIn(expression)).toEqual([])
          expect(askedBy(expression).length).toBeGreaterThan(0)
        }
      },
    )
  },
)

test('what is made is made anew: node tools/manifests/src/write.ts', async () => {
  for (const [path, content] of await writtenFiles())
    expect([path, await read(path)]).toEqual([path, content])
})

test('what scales output asks for a metric that there is', async () => {
  const base = await read('k8s/base/output.yaml')
  const keda = await read('k8s/components/keda/output.yaml')
  const metric = /metric: \{ name: (\w+) \}/.exec(base)?.[1] ?? ''
  expect(known.has(metric)).toBe(true)
  expect(unknownIn(/query: (.*)/.exec(keda)?.[1] ?? 'none')).toEqual([])
})
