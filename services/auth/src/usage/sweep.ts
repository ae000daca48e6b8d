// Removes obsolete records: heartbeats of dead replicas, their counts of past months, and the usage of deleted streams.
import type { LogOffsets, RangeReader } from '@weir/kafka'
import {
  countsTopic,
  monthOf,
  parseCountKey,
  parseMonthCount,
  replicasTopic,
  usagePartitionOf,
  usageTopic,
} from '@weir/control-state'
import type { MonthCount, ReplicaFollower } from '@weir/control-state'
import type { WriteTombstones } from '../control/tombstones.ts'
import type { UsageLog } from './usage-log.ts'

export type SweepDeps = {
  readonly write: WriteTombstones
  readonly offsets: Pick<LogOffsets, 'earliest' | 'ends'>
  readonly reader: Pick<RangeReader, 'read'>
  readonly replicas: Pick<ReplicaFollower, 'replicas' | 'isRead' | 'unread' | 'catchUp'>
  readonly log: Pick<UsageLog, 'ofStream'>
}

/** Removes heartbeats that are older than a minute. */
export async function sweepReplicas({ write, replicas }: SweepDeps): Promise<void> {
  const isRead = replicas.isRead() || replicas.unread().length > 0
  if (!isRead || replicas.replicas.dead().length === 0) return
  await replicas.catchUp() // a dead replica may have written a new heartbeat
  const dead = replicas.replicas.dead()
  await write(dead.map((key) => ({ topic: replicasTopic, partition: 0, key })))
}

export async function sweepMonths(deps: SweepDeps, nowMs: number): Promise<void> {
  if (!deps.replicas.isRead()) return
  const atWork = new Set(deps.replicas.replicas.heard().map(({ id }) => id))
  const month = monthOf(nowMs)
  const counts = await readCounts(deps)
  const over = [...counts].filter(([key, count]) => {
    const replica = parseCountKey(key)?.replica
    return replica === undefined || (count.month < month && !atWork.has(replica))
  })
  await deps.write(over.map(([key]) => ({ topic: countsTopic, partition: 0, key })))
}

/** Removes all usage of a stream. Call when no replica counts events of the stream any more. */
export async function forgetUsage(
  deps: SweepDeps,
  { streamId, createdAtMs }: { streamId: string; createdAtMs: number },
): Promise<void> {
  const table = await deps.log.ofStream(streamId, { fromMs: createdAtMs })
  const partition = usagePartitionOf(streamId)
  const usage = [...table].filter(([, value]) => value !== null)
  const counts = [...(await readCounts(deps)).keys()].filter((key) =>
    key.startsWith(`${streamId}/`),
  )
  await deps.write([
    ...usage.map(([key]) => ({ topic: usageTopic, partition, key })),
    ...counts.map((key) => ({ topic: countsTopic, partition: 0, key })),
  ])
}

async function readCounts({ offsets, reader }: SweepDeps): Promise<Map<string, MonthCount>> {
  const [from = 0n] = await offsets.earliest(countsTopic)
  const [to = 0n] = await offsets.ends(countsTopic, { isolation: 'read_committed' })
  const counts = new Map<string, MonthCount>()
  await reader.read({ topic: countsTopic, partition: 0, from, to }, (records) => {
    for (const { key, value } of records) {
      const text = key?.toString('utf8') ?? ''
      if (value === null) counts.delete(text)
      else counts.set(text, parseMonthCount(text, value))
    }
  })
  return counts
}
