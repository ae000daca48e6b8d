// The audit log (docs/wire-format.md Management). An account sees the entries about itself, and the platform sees
// everything. Only the platform gets the chain, because the chain can only be verified as a whole.
import type { AuditEntry } from '@weir/control-state'
import { invalid } from '@weir/http-api'
import { z } from 'zod'
import type { Platform } from '../../access/callers.ts'
import type { PlatformCall } from '../managed.ts'
import type { Opaque } from '../../control/audit/opaque.ts'
import type { RouteAnswer, Call, Caller, CallBy } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import type { Management } from '../management.ts'
import { parseQueryTime } from '../../usage/periods.ts'

const usuallyMs = 24 * 3_600_000
const entriesMax = 1_000
const usuallyEntries = 200

export const showAudit =
  ({ audit: { log, fold, opaque }, accounts }: Pick<Management, 'audit' | 'accounts'>) =>
  async (call: CallBy<Caller | Platform>): Promise<RouteAnswer<AnswerNamed<'AuditPage'>>> => {
    const account = 'billingId' in call.caller ? call.caller.billingId : undefined
    const cursor = account === undefined ? plainCursor : cursorOf(opaque.page, account)
    await fold() // before the end of the page is computed
    const question = questionOf(call, accounts.now(), cursor)
    const { entries, next } = await log.page({ ...question, account })
    const show = account === undefined ? plain : seenBy(opaque.entry, account)
    const body = { entries: entries.map(show), next: next === undefined ? null : cursor.of(next) }
    return { status: 200, body }
  }

export const showChain =
  ({ audit: { log, fold } }: Pick<Management, 'audit'>) =>
  async (call: PlatformCall): Promise<RouteAnswer<AnswerNamed<'AuditChain'>>> => {
    const problems: string[] = []
    const from = offsetIn(call, problems, plainCursor) ?? 0n
    if (problems.length > 0) throw invalid(problems)
    await fold()
    const { records, next, head } = await log.chain(from)
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

/** Converts the start of a page to and from the form for the caller. */
type Cursor = { of(offset: bigint): string; offsetIn(text: string): bigint | undefined }

const plainCursor: Cursor = {
  of: String,
  offsetIn: (text) => (/^\d{1,18}$/.test(text) ? BigInt(text) : undefined),
}
const cursorOf = (opaque: Opaque, account: string): Cursor => ({
  of: (offset) => opaque.of(account, offset),
  offsetIn: (text) => opaque.numberIn(account, text),
})

const plain = (entry: AuditEntry): AnswerNamed<'AuditEntry'> => entry

/** Renders an entry for an account, without the numbers and hashes that depend on other accounts' entries. */
const seenBy =
  (opaque: Opaque, account: string) =>
  (entry: AuditEntry): AnswerNamed<'AuditEntry'> => {
    const { seq, prev: _, ...rest } = entry
    return { id: opaque.of(account, BigInt(seq)), ...rest }
  }

function questionOf(call: Call, nowMs: number, cursor: Cursor) {
  const problems: string[] = []
  const untilMs = parseQueryTime('until', call.query('until'), problems) ?? nowMs
  const fromMs = parseQueryTime('from', call.query('from'), problems) ?? untilMs - usuallyMs
  const limit = z.coerce.number().int().min(1).max(entriesMax)
  const asked = limit.safeParse(call.query('limit') ?? usuallyEntries)
  if (!asked.success) problems.push(`limit must be a whole number from 1 to ${entriesMax}`)
  const offset = offsetIn(call, problems, cursor)
  if (problems.length === 0 && fromMs >= untilMs) problems.push('from must be before until')
  if (problems.length > 0) throw invalid(problems)
  return {
    from: offset === undefined ? { timeMs: fromMs } : { offset },
    untilMs,
    entriesMax: asked.data ?? usuallyEntries,
  }
}

/** Returns the start of a page; undefined for the first page. If `after` is invalid, adds a problem. */
function offsetIn(call: Call, problems: string[], cursor: Cursor): bigint | undefined {
  const after = call.query('after')
  if (after === undefined) return undefined
  const offset = cursor.offsetIn(after)
  if (offset === undefined) problems.push('after must be the value of `next` on the previous page')
  return offset
}
