// The usage of an input stream in a period (docs/wire-format.md Management): JSON, or CSV by `format` or `Accept`.
import { lookUpInput, invalid } from '@weir/http-api'
import type { RouteAnswer, Call, AccountCall } from '@weir/http-api'
import type { Management } from '../management.ts'
import { foldedBefore, periodOf } from '../../usage/periods.ts'
import { reportOf, toCsv, toJson } from '../../usage/report.ts'

const dayMs = 86_400_000

export const showUsage =
  (deps: Pick<Management, 'state' | 'usage' | 'accounts'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const stream = await lookUpInput(deps.state, call)
    const isCsv = wantsCsv(call)
    const nowMs = deps.accounts.now()
    const asked = { by: call.query('by'), from: call.query('from'), until: call.query('until') }
    const period = periodOf(asked, nowMs)
    // The records that remove folded minutes are at the end of the topic, so old periods are read to that end.
    const isOld = period.fromMs < foldedBefore(nowMs + dayMs)
    const table = await deps.usage.ofStream(stream.streamId, {
      fromMs: Math.max(period.fromMs, stream.createdAtMs),
      toMs: isOld ? undefined : period.untilMs,
    })
    const report = reportOf(table, period)
    if (!isCsv) return { status: 200, body: toJson(stream.name, report) }
    const headers = { 'content-type': 'text/csv; charset=utf-8; header=present' }
    return { status: 200, headers, body: toCsv(report) }
  }

function wantsCsv(call: Call): boolean {
  const format = call.query('format')
  if (format !== undefined && format !== 'json' && format !== 'csv')
    throw invalid(['format must be json or csv'])
  if (format !== undefined) return format === 'csv'
  const accept = call.header('accept') ?? ''
  return weightOf(accept, 'text/csv') > weightOf(accept, 'application/json')
}

/** Returns the weight of a type in `Accept` (RFC 9110 12.5.1). Types with wildcards do not count. */
function weightOf(accept: string, type: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return weight === undefined ? 1 : Number(weight) || 0
  }
  return 0
}
