// Generates Grafana dashboards. A panel is a title, a unit and some queries. Its position follows from its index in the
// list.

export type Query = readonly [expression: string, legend: string]

export type Panel = {
  title: string
  /** An explanation for a first-time reader. */
  help?: string
  unit: 'short' | 'reqps' | 's' | 'bytes' | 'Bps' | 'percentunit' | 'none'
  queries: readonly Query[]
}

export type Dashboard = { uid: string; title: string; panels: readonly Panel[] }

const WIDTH = 12
const HEIGHT = 8
const SOURCE = { type: 'prometheus', uid: '${source}' }

export function grafanaJson({ uid, title, panels }: Dashboard): string {
  const dashboard = {
    uid,
    title,
    tags: ['weir'],
    schemaVersion: 41,
    editable: false,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: {
      list: [{ name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }],
    },
    panels: panels.map(panelJson),
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

function panelJson({ title, help, unit, queries }: Panel, index: number) {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    ...(help === undefined ? {} : { description: help }),
    datasource: SOURCE,
    gridPos: {
      x: (index % 2) * WIDTH,
      y: Math.floor(index / 2) * HEIGHT,
      w: WIDTH,
      h: HEIGHT,
    },
    fieldConfig: {
      defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  }
}

/** Returns the panels for a process's resource use, which are the same for each service. */
export const processPanels = (job: string): Panel[] => [
  {
    title: 'CPU',
    help: 'In cores. One core handles the events; helper threads add little.',
    unit: 'short',
    queries: [[`rate(process_cpu_seconds_total{job="${job}"}[5m])`, '{{instance}}']],
  },
  {
    title: 'Memory',
    unit: 'bytes',
    queries: [[`process_resident_memory_bytes{job="${job}"}`, '{{instance}}']],
  },
  {
    title: 'Event loop, 99th percentile of its lateness',
    unit: 's',
    queries: [[`nodejs_eventloop_lag_p99_seconds{job="${job}"}`, '{{instance}}']],
  },
  {
    title: 'Ready replicas',
    unit: 'none',
    queries: [
      [`sum(weir_ready{job="${job}"})`, 'ready'],
      [`count(up{job="${job}"})`, 'there'],
    ],
  },
]
