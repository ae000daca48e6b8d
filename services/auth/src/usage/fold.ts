// Folds old minutes into days. One transaction writes the sum of a day and removes its minutes, so nothing is counted
// twice or lost. One replica folds at a time: it fences the previous one, whose open transaction is aborted. The newest
// records are read last, so sums and tombstones of earlier folds replace older values.
import { createTransactor } from '@weir/kafka'
import type { AddressedRecord, Kafka, Transactor } from '@weir/kafka'
import {
  addUsage,
  dayKey,
  dayOf,
  msOfMinute,
  noUsage,
  parseUsageKey,
  usagePartitions,
  usageTopic,
  usageValue,
} from '@weir/control-state'
import type { Usage } from '@weir/control-state'
import { foldedBefore, minutesKeptDays } from './periods.ts'
import { chunksOf } from '../control/tombstones.ts'
import type { UsageLog, UsageTable } from './usage-log.ts'

const dayMs = 86_400_000
const transactionTimeoutMs = 30_000

export type FoldDeps = {
  readonly kafka: Kafka
  readonly log: Pick<UsageLog, 'lay'>
  /** Returns false for a deleted stream. Its usage is then removed. */
  readonly hasStream: (streamId: string) => boolean
}

/**
 * Returns how many minutes were folded.
 * @throws KafkaError `kafka.fenced` if another replica has started to fold
 */
export async function foldUsage(deps: FoldDeps, nowMs: number): Promise<number> {
  const transactor = createTransactor(deps.kafka, {
    transactionalId: 'weir.usage.fold',
    timeoutMs: transactionTimeoutMs,
    awaitVisible: false,
  })
  try {
    await transactor.fence()
    let folded = 0
    for (let partition = 0; partition < usagePartitions; partition++)
      folded += await foldPartition(deps, { transactor, partition, nowMs })
    return folded
  } finally {
    await transactor.close()
  }
}

type Part = { readonly transactor: Transactor; readonly partition: number; readonly nowMs: number }

async function foldPartition(deps: FoldDeps, part: Part): Promise<number> {
  const { transactor, partition, nowMs } = part
  const folds = foldsOf(await oldUsage(deps, partition, nowMs), deps.hasStream)
  for (const batch of inBatches(folds))
    await transactor.transaction(async (tx) => {
      for (const fold of batch)
        for (const chunk of chunksOf(recordsOf(fold, partition))) await tx.send(chunk)
    })
  return folds.reduce((sum, fold) => sum + fold.minutes.length, 0)
}

/** Reads the old minutes, and the existing sums of their days. */
async function oldUsage({ log }: FoldDeps, partition: number, nowMs: number): Promise<UsageTable> {
  const beforeMs = foldedBefore(nowMs)
  const table: UsageTable = new Map()
  const isOld = (key: string): boolean => {
    const parsed = parseUsageKey(key)
    return parsed !== undefined && 'minute' in parsed && msOfMinute(parsed.minute) < beforeMs
  }
  await log.lay({ partition, fromMs: 0, toMs: beforeMs, isWanted: isOld }, table)
  if (table.size === 0) return table
  const days = new Set<string>()
  let oldestMs = beforeMs
  for (const key of table.keys()) {
    const parsed = parseUsageKey(key)
    if (parsed === undefined || !('minute' in parsed)) continue
    oldestMs = Math.min(oldestMs, msOfMinute(parsed.minute))
    days.add(dayKey(parsed.streamId, dayOf(msOfMinute(parsed.minute))))
  }
  // A minute is folded at the earliest `minutesKeptDays` later, so records of folds are not older than `fromMs`.
  const fromMs = oldestMs + minutesKeptDays * dayMs
  const isWanted = (key: string): boolean => table.has(key) || days.has(key)
  await log.lay({ partition, fromMs, isWanted }, table)
  return table
}

export type UsageFold = {
  readonly streamId: string
  readonly day: string
  /** Undefined for a deleted stream. */
  readonly usage: Usage | undefined
  /** The keys of the day's minutes. */
  readonly minutes: readonly string[]
}

/** Returns one fold for each stream and day. Its usage includes the former sum of the day. */
export function foldsOf(
  table: UsageTable,
  hasStream: (streamId: string) => boolean,
): readonly UsageFold[] {
  const folds = new Map<string, UsageFold & { minutes: string[] }>()
  for (const [key, usage] of table) {
    const parsed = parseUsageKey(key)
    if (parsed === undefined || usage === null || !('minute' in parsed)) continue
    const { streamId } = parsed
    const day = dayOf(msOfMinute(parsed.minute))
    const foldKey = dayKey(streamId, day)
    let fold = folds.get(foldKey)
    if (fold === undefined) {
      const sum = hasStream(streamId) ? noUsage() : undefined
      const before = table.get(foldKey)
      if (sum !== undefined && before) addUsage(sum, before)
      fold = { streamId, day, usage: sum, minutes: [] }
      folds.set(foldKey, fold)
    }
    if (fold.usage !== undefined) addUsage(fold.usage, usage)
    fold.minutes.push(key)
  }
  return [...folds.values()]
}

function recordsOf(
  { streamId, day, usage, minutes }: UsageFold,
  partition: number,
): AddressedRecord[] {
  const place = { topic: usageTopic, partition }
  return [
    { ...place, key: dayKey(streamId, day), value: usage === undefined ? null : usageValue(usage) },
    ...minutes.map((key) => ({ ...place, key, value: null })),
  ]
}

/** Splits the folds into one batch per transaction. A stream's day is never split. */
function* inBatches(folds: readonly UsageFold[]): Generator<readonly UsageFold[]> {
  const minutesMax = 10_000
  let batch: UsageFold[] = []
  let minutes = 0
  for (const fold of folds) {
    batch.push(fold)
    minutes += fold.minutes.length
    if (minutes < minutesMax) continue
    yield batch
    batch = []
    minutes = 0
  }
  if (batch.length > 0) yield batch
}
