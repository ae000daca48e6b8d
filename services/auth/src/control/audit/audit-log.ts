// Reads `weir.audit` from Kafka on request, page by page. Nothing is kept in memory. A page is limited in entries,
// bytes and records read, whatever the length of the log.
import type { LogOffsets, RangeReader, SourceRecord } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import { auditTopic, parseEntry } from '@weir/control-state'
import type { AuditEntry, AuditHead, StateFollower } from '@weir/control-state'

export type AuditQuestion = {
  /** The start of the page: a time, or the `next` of the previous page. */
  readonly from: { readonly timeMs: number } | { readonly offset: bigint }
  readonly untilMs: number
  /** If set, only the entries of this account. */
  readonly account?: string | undefined
  readonly entriesMax: number
}

export type AuditPage = {
  readonly entries: readonly AuditEntry[]
  /** The start of the next page; undefined on the last page. A page that is not the last may be empty. */
  readonly next: bigint | undefined
}

/** Records as stored, for clients that verify the chain themselves. */
export type ChainPage = {
  readonly records: readonly { readonly offset: bigint; readonly value: Buffer }[]
  readonly next: bigint | undefined
  /** The head from control state, read after the records, so not older than the records. */
  readonly head: AuditHead | undefined
}

export type AuditLog = {
  page(question: AuditQuestion): Promise<AuditPage>
  chain(from: bigint): Promise<ChainPage>
}

/** The maximum clock difference between replicas of auth, which write in turn. */
const clocksMs = 5 * 60_000
const looksMax = 20_000
const bytesMax = 2_000_000
const chainMax = 1_000

type AuditLogDeps = {
  readonly offsets: LogOffsets
  readonly reader: Pick<RangeReader, 'read'>
  readonly follower: Pick<StateFollower, 'catchUp' | 'tables'>
}

export function createAuditLog(deps: AuditLogDeps): AuditLog {
  const { offsets, follower } = deps

  return {
    async page({ from, untilMs, account, entriesMax }) {
      const entries: AuditEntry[] = []
      const isOver = createBounds({ itemsMax: entriesMax, looksMax })
      const first =
        'offset' in from ? from.offset : ((await offsets.at(auditTopic, from.timeMs))[0] ?? 0n)
      const fromMs = 'timeMs' in from ? from.timeMs : -Infinity
      const next = await readFrom(deps, first, (record) => {
        if (record.timestampMs >= untilMs + clocksMs) return 'enough'
        const entry = entryOf(record)
        const isAsked = entry !== undefined && isIn(entry, { fromMs, untilMs, account })
        if (isAsked) entries.push(entry)
        return isOver(isAsked ? record.value : null) ? 'full' : 'more'
      })
      return { entries, next }
    },

    async chain(from) {
      const records: { offset: bigint; value: Buffer }[] = []
      const isOver = createBounds({ itemsMax: chainMax, looksMax: chainMax })
      const next = await readFrom(deps, from, ({ offset, value }) => {
        records.push({ offset, value: value ?? Buffer.alloc(0) })
        return isOver(value) ? 'full' : 'more'
      })
      await follower.catchUp()
      return { records, next, head: follower.tables.auditHead() }
    },
  }
}

/**
 * Returns the next offset if `take` returned `full`; undefined if it returned `enough`, or the log was read to its end.
 */
async function readFrom(
  { offsets, reader }: AuditLogDeps,
  from: bigint,
  take: (record: SourceRecord) => 'more' | 'full' | 'enough',
): Promise<bigint | undefined> {
  const [first = 0n] = await offsets.earliest(auditTopic)
  const [to = 0n] = await offsets.ends(auditTopic, { isolation: 'read_committed' })
  const range = { topic: auditTopic, partition: 0, from: from > first ? from : first, to }
  let next: bigint | undefined
  await reader.read(range, async (records) => {
    for (const record of records) {
      const said = take(record)
      if (said === 'full') next = record.offset + 1n
      if (said !== 'more') return false
    }
    return true
  })
  return next
}

/** Returns a function that says whether a page is full. */
function createBounds(max: { itemsMax: number; looksMax: number }) {
  let [items, looks, bytes] = [0, 0, 0]
  return (value: Buffer | null): boolean => {
    looks += 1
    items += value === null ? 0 : 1
    bytes += value?.length ?? 0
    return items >= max.itemsMax || looks >= max.looksMax || bytes >= bytesMax
  }
}

function isIn(
  entry: AuditEntry,
  { fromMs, untilMs, account }: { fromMs: number; untilMs: number; account: string | undefined },
): boolean {
  const timeMs = Date.parse(entry.time)
  if (timeMs < fromMs || timeMs >= untilMs) return false
  return account === undefined || entry.target.account === account
}

/** Skips records that Weir didn't write; `weir audit verify` finds them. */
function entryOf({ offset, value }: SourceRecord): AuditEntry | undefined {
  try {
    return value === null ? undefined : parseEntry(String(offset), value)
  } catch (error) {
    if (hasCode(error, 'control-state.record_malformed')) return undefined
    throw error
  }
}
