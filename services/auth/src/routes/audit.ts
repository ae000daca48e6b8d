// The audit log (docs/wire-format.md Management): an account sees what was done to it, the platform sees all. The
// chain is the platform's alone: it can only be checked as a whole.
import { z } from 'zod'
import type { Caller, Platform } from '../api-keys.ts'
import type { AuditPage } from '../audit/audit-log.ts'
import type { CallBy, PlatformCall } from '../audit/managed.ts'
import { invalid } from '../errors.ts'
import type { Answer, Call } from '../http.ts'
import type { Management } from '../management.ts'
import { timeOf } from '../usage/periods.ts'

const usuallyMs = 24 * 3_600_000
const entriesMax = 1_000
const usuallyEntries = 200

export const showAudit =
  ({ audit, stewardship }: Management) =>
  async (call: CallBy<Caller | Platform>): Promise<Answer> => {
    const account = 'billingId' in call.caller ? call.caller.billingId : undefined
    const question = questionOf(call, stewardship.now())
    const page = await audit.page({ ...question, account })
    return { status: 200, body: shown(page) }
  }

export const showChain =
  ({ audit }: Management) =>
  async (call: PlatformCall): Promise<Answer> => {
    const problems: string[] = []
    const from = offsetIn(call, problems) ?? 0n
    if (problems.length > 0) throw invalid(problems)
    const { records, next, head } = await audit.chain(from)
    const body = {
      records: records.map(({ offset, value }) => ({
        offset: String(offset),
        value: value.toString('base64'),
      })),
      next: next === undefined ? null : String(next),
      head: head ?? null,
    }
    return { status: 200, body }
  }

const shown = ({ entries, next }: AuditPage) => ({
  entries,
  next: next === undefined ? null : String(next),
})

function questionOf(call: Call, nowMs: number) {
  const problems: string[] = []
  const untilMs = timeOf('until', call.query('until'), problems) ?? nowMs
  const fromMs = timeOf('from', call.query('from'), problems) ?? untilMs - usuallyMs
  const limit = z.coerce.number().int().min(1).max(entriesMax)
  const asked = limit.safeParse(call.query('limit') ?? usuallyEntries)
  if (!asked.success) problems.push(`limit must be a whole number from 1 to ${entriesMax}`)
  const offset = offsetIn(call, problems)
  if (problems.length === 0 && fromMs >= untilMs) problems.push('from must be before until')
  if (problems.length > 0) throw invalid(problems)
  return {
    from: offset === undefined ? { timeMs: fromMs } : { offset },
    untilMs,
    entriesMax: asked.data ?? usuallyEntries,
  }
}

/** Where a page begins: what the page before gave as `next`. */
function offsetIn(call: Call, problems: string[]): bigint | undefined {
  const after = call.query('after')
  if (after === undefined) return undefined
  if (/^\d{1,18}$/.test(after)) return BigInt(after)
  problems.push('after must be the `next` of the page before')
  return undefined
}
