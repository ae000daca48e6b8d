// Turns runs into figures: the median with its minimum and maximum, as a table for people and JSON for programs.
import type { Run } from './measure.ts'

export type Spread = { median: number; min: number; max: number }
export type ServiceFigures = {
  /** The time from the start until the process was ready. */
  startMs?: number
  /** In per cent of one core. */
  cpuPercent?: number
  rssMb: number
  sockets: number
}
type RunFigures = Pick<Run, 'eventsPerCpuSecond' | 'rssMb' | 'errors'> & Partial<Run>
export type Result = {
  name: string
  runs: number
  eventsPerCpuSecond: Spread
  cpuUsPerEvent: Spread
  ratioToBare?: number
  p50Ms?: number
  p99Ms?: number
  rssMb: number
  errors: number
  /** The number of events, and their total time. */
  events?: number
  seconds?: Spread
  /** The resource use of each service. */
  services?: Record<string, ServiceFigures>
  /** Set only by part `client`. */
  eventsPerSecond?: Spread
  meanBatch?: number
}

export function spreadOf(values: readonly number[], digits?: number): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
  const spread = { median, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN }
  return digits === undefined ? spread : rounded(spread, digits)
}

/** Omits latencies that were not measured. Without `bare`, omits the ratio to a bare server. */
export function resultOf(name: string, runs: readonly RunFigures[], bare?: Spread): Result {
  const eventsPerCpuSecond = rounded(spreadOf(runs.map((run) => run.eventsPerCpuSecond)))
  const median = (key: 'p50Ms' | 'p99Ms'): { p50Ms?: number; p99Ms?: number } => {
    const values = runs.flatMap((run) => run[key] ?? [])
    return values.length === 0 ? {} : { [key]: spreadOf(values, 2).median }
  }
  return {
    name,
    runs: runs.length,
    eventsPerCpuSecond,
    cpuUsPerEvent: rounded(spreadOf(runs.map((run) => 1e6 / run.eventsPerCpuSecond)), 2),
    ...(bare === undefined
      ? {}
      : { ratioToBare: Number((eventsPerCpuSecond.median / bare.median).toFixed(2)) }),
    ...median('p50Ms'),
    ...median('p99Ms'),
    rssMb: Math.round(Math.max(...runs.map((run) => run.rssMb))),
    errors: runs.reduce((sum, run) => sum + run.errors, 0),
  }
}

/** Returns figures of times in ms. With fewer than a hundred times, the 99th percentile is the longest. */
export function timesOf(name: string, took: readonly number[], rssMb = 0): Result {
  const sorted = [...took].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN
  const figures = { eventsPerCpuSecond: 0, rssMb, errors: 0, p50Ms: at(0.5), p99Ms: at(0.99) }
  return { ...resultOf(name, [figures]), cpuUsPerEvent: spreadOf([0]), runs: took.length }
}

export function resultTableOf(results: readonly Result[]): string {
  const header = [
    'name',
    'events/CPU-s',
    'min',
    'max',
    'CPU µs',
    '× bare',
    'p50 ms',
    'p99 ms',
    'RSS MB',
    'errors',
    'batch',
    'seconds',
    'a second',
  ]
  const rows = results.map((result) => [
    result.name,
    ...(['median', 'min', 'max'] as const).map((key) => String(result.eventsPerCpuSecond[key])),
    rangeOf(result.cpuUsPerEvent),
    result.ratioToBare?.toFixed(2) ?? '',
    result.p50Ms?.toFixed(1) ?? '',
    result.p99Ms?.toFixed(1) ?? '',
    String(result.rssMb),
    String(result.errors),
    result.meanBatch?.toFixed(0) ?? '',
    result.seconds?.median.toFixed(1) ?? '',
    result.eventsPerSecond?.median.toFixed(0) ?? '',
  ])
  const widths = header.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
  return [header, ...rows].map(line).join('\n')
}

const rangeOf = ({ median, min, max }: Spread): string =>
  `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`

const rounded = ({ median, min, max }: Spread, digits = 0): Spread => ({
  median: Number(median.toFixed(digits)),
  min: Number(min.toFixed(digits)),
  max: Number(max.toFixed(digits)),
})
