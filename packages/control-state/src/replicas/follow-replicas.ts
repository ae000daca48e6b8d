// Follows what replicas say of themselves: their heartbeats, and for a reader who wants them the counts of the
// month. Only what comes in while it follows is news; what lay there before says who there was.
import { followTopics } from '@weir/kafka'
import type { FollowedRecord, Kafka } from '@weir/kafka'
import type { Log } from '@weir/kit'
import { createUnread } from '../forms/unread.ts'
import { createReplicaTable, replicasTopic } from './replicas.ts'
import type { Replica, ReplicaTable } from './replicas.ts'
import { countsTopic } from './usage.ts'

export type ReplicaFollower = {
  readonly replicas: ReplicaTable
  /** Resolves when everything that lay there is read; closed before that, it never does. */
  start(): Promise<void>
  /** False before that, while the tables are read anew, and while something can't be read. */
  isRead(): boolean
  /** A sentence for each record that this replica can't read. */
  unread(): string[]
  /** Resolves when everything written before the call is in the tables. */
  catchUp(): Promise<void>
  close(): Promise<void>
}

const never = new Promise<never>(() => {})

type FollowOptions = {
  readonly kafka: Kafka
  readonly service: string
  readonly now: () => number
  readonly log: Log
  readonly onBeat?: (replica: Replica) => void
  /** The table of `weir.counts`; without one the topic isn't followed. */
  readonly counts?: { apply(record: FollowedRecord): void; clear(): void }
}

export function followReplicas(options: FollowOptions): ReplicaFollower {
  const { kafka, service, counts } = options
  const replicas = createReplicaTable(options.now)
  const unread = createUnread(options.log)
  let isRead = false
  let isClosed = false

  const follower = followTopics(kafka, {
    topics: counts === undefined ? [replicasTopic] : [replicasTopic, countsTopic],
    groupPrefix: `weir.replicas.${service}`,
    onRecord: (record) =>
      unread.note(record.topic, record.key, () =>
        take(options, record, { replicas, isPast: !isRead }),
      ),
    onReset() {
      unread.clear()
      replicas.clear()
      counts?.clear()
      if (isRead) void readAgain()
    },
  })

  const readAgain = async (): Promise<void> => {
    isRead = false
    while (!isRead && !isClosed)
      await follower.catchUp().then(
        () => void (isRead = true),
        () => undefined,
      )
  }

  return {
    replicas,
    async start() {
      try {
        await follower.start()
        isRead = true
      } catch (error) {
        if (!isClosed) throw error
        await never
      }
    },
    isRead: () => isRead && unread.isEmpty(),
    unread: unread.sentences,
    catchUp: () => follower.catchUp(),
    async close() {
      isClosed = true
      await follower.close()
    },
  }
}

function take(
  { onBeat, counts }: FollowOptions,
  record: FollowedRecord,
  { replicas, isPast }: { readonly replicas: ReplicaTable; readonly isPast: boolean },
): void {
  if (record.topic === countsTopic) return counts?.apply(record)
  const replica = replicas.apply(record, isPast)
  if (replica !== undefined) onBeat?.(replica)
}
