// The response to a usage request, as JSON or CSV: one sum for each piece of the period (periods.ts), even if it is 0.
// JSON also has the total.
import { addUsage, msOfMinute, noUsage, parseUsageKey } from '@weir/control-state'
import type { Usage, UsageKey } from '@weir/control-state'
import type { AnswerNamed } from '../api/answers/answers.ts'
import type { Period } from './periods.ts'
import type { UsageTable } from './usage-log.ts'

export type UsageReport = {
  readonly period: Period
  readonly total: Usage
  readonly pieces: readonly Usage[]
}

export function reportOf(table: UsageTable, period: Period): UsageReport {
  const { fromMs, untilMs, pieceMs } = period
  const count = Math.round((untilMs - fromMs) / pieceMs)
  const pieces = Array.from({ length: count }, noUsage)
  const total = noUsage()
  for (const [key, usage] of table) {
    const parsed = parseUsageKey(key)
    if (parsed === undefined || usage === null) continue
    const piece = pieces[Math.floor((startOf(parsed) - fromMs) / pieceMs)]
    if (piece === undefined) continue
    addUsage(piece, usage)
    addUsage(total, usage)
  }
  return { period, total, pieces }
}

const startOf = (key: UsageKey): number =>
  'minute' in key ? msOfMinute(key.minute) : Date.parse(`${key.day}T00:00:00Z`)

export function toJson(stream: string, report: UsageReport): AnswerNamed<'Usage'> {
  const { period, total, pieces } = report
  return {
    stream,
    by: period.by,
    from: timeOf(period.fromMs),
    until: timeOf(period.untilMs),
    total,
    usage: pieces.map((usage, index) => ({ from: startOfPiece(period, index), ...usage })),
  }
}

export function toCsv({ period, pieces }: UsageReport): string {
  const lines = pieces.map(
    ({ events, bytes, refused }, index) =>
      `${startOfPiece(period, index)},${events},${bytes},${sumOf(refused)}`,
  )
  return ['from,events,bytes,refused', ...lines, ''].join('\n')
}

const startOfPiece = ({ fromMs, pieceMs }: Period, index: number): string =>
  timeOf(fromMs + index * pieceMs)

const timeOf = (ms: number): string => new Date(ms).toISOString()

const sumOf = (refused: Usage['refused']): number =>
  Object.values(refused).reduce((sum, count) => sum + count, 0)
