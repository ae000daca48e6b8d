// Runs into figures: the median with its minimum and maximum, as a table for people and JSON for
// programs.
import type { Run } from './measure.ts'

export type Spread = { median: number; min: number; max: number }
export type Result = {
  name: string
  runs: number
  eventsPerCpuSecond: Spread
  ratioToBare?: number
  p50Ms?: number
  p99Ms?: number
  rssMb: number
  errors: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
  return { median, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN }
}

export function resultOf(name: string, runs: readonly Run[], bare?: Spread): Result {
  const eventsPerCpuSecond = rounded(spreadOf(runs.map((run) => run.eventsPerCpuSecond)))
  const median = (read: (run: Run) => number): number =>
    Number(spreadOf(runs.map(read)).median.toFixed(2))
  return {
    name,
    runs: runs.length,
    eventsPerCpuSecond,
    ...(bare === undefined
      ? {}
      : { ratioToBare: Number((eventsPerCpuSecond.median / bare.median).toFixed(2)) }),
    p50Ms: median((run) => run.p50Ms),
    p99Ms: median((run) => run.p99Ms),
    rssMb: Math.round(Math.max(...runs.map((run) => run.rssMb))),
    errors: runs.reduce((sum, run) => sum + run.errors, 0),
  }
}

export function tableOf(results: readonly Result[]): string {
  const header = [
    'name',
    'events/CPU-s',
    'min',
    'max',
    '× bare',
    'p50 ms',
    'p99 ms',
    'RSS MB',
    'errors',
  ]
  const rows = results.map((result) => [
    result.name,
    ...(['median', 'min', 'max'] as const).map((key) => String(result.eventsPerCpuSecond[key])),
    result.ratioToBare?.toFixed(2) ?? '',
    result.p50Ms?.toFixed(1) ?? '',
    result.p99Ms?.toFixed(1) ?? '',
    String(result.rssMb),
    String(result.errors),
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

const rounded = ({ median, min, max }: Spread): Spread => ({
  median: Math.round(median),
  min: Math.round(min),
  max: Math.round(max),
})
