// Follows the heartbeats of replicas and, if the reader wants them, their counts of the month. Heartbeats that were
// written before the start are marked as past, because their replicas may no longer run.
import { followTopics } from '@weir/kafka'
import type { FollowedRecord, Kafka } from '@weir/kafka'
import type { Log } from '@weir/kit'
import { createUnread } from '../forms/unread.ts'
import { createReplicaTable, replicasTopic } from './replicas.ts'
import type { FollowedReplicas, KnownReplica, ReplicaTable } from './replicas.ts'
import { createWholeReading } from '../tables/read-whole.ts'
import { countsTopic } from './usage.ts'

export type ReplicaFollower = {
  readonly replicas: ReplicaTable
  /** Resolves when all records stored so far are read. Never resolves if `close` is called first. */
  start(): Promise<void>
  /** False before `start` resolves, while the tables are read again, and while a record can't be read. */
  isRead(): boolean
  /** Sentences about the records that can't be read. */
  unread(): string[]
  /** Resolves when everything written before the call is in the tables. */
  catchUp(): Promise<void>
  close(): Promise<void>
}

type FollowOptions = {
  readonly kafka: Kafka
  readonly now: () => number
  /** `performance.now` by default. */
  readonly monotonic?: () => number
  readonly log: Log
  readonly onBeat?: (replica: KnownReplica) => void
  /** The table of `weir.counts`. Without this table the topic isn't followed. */
  readonly counts?: { apply(record: FollowedRecord): void; clear(): void }
}

export function followReplicas(options: FollowOptions): ReplicaFollower {
  const { kafka, counts } = options
  const replicas = createReplicaTable(options.now, options.monotonic)
  const unread = createUnread(options.log)

  const topics = followTopics(kafka, {
    topics: counts === undefined ? [replicasTopic] : [replicasTopic, countsTopic],
    onRecord: (record) =>
      unread.note(record.topic, record.key, () =>
        take(options, record, { replicas, isPast: !reading.isDone() }),
      ),
    onReset() {
      for (const each of [unread, replicas, counts]) each?.clear()
      reading.startOver()
    },
  })
  const catchUp = () => topics.catchUp()
  const reading = createWholeReading({ start: topics.start, readToEnd: catchUp })

  return {
    replicas,
    start: reading.start,
    isRead: () => reading.isDone() && unread.isEmpty(),
    unread: unread.sentences,
    catchUp,
    async close() {
      reading.close()
      await topics.close()
    },
  }
}

function take(
  { onBeat, counts }: FollowOptions,
  record: FollowedRecord,
  { replicas, isPast }: { readonly replicas: FollowedReplicas; readonly isPast: boolean },
): void {
  if (record.topic === countsTopic) return counts?.apply(record)
  const replica = replicas.apply(record, isPast)
  if (replica !== undefined) onBeat?.(replica)
}
