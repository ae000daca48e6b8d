// The follower of a partition: its position, the partition's leader, and which part of the fetcher serves it. Plain
// data, changed by the parts of the fetcher.
import type { FetchedPartition } from '../protocol/fetch.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import type { Isolation } from '../connect/topic-calls.ts'
import type { SessionPartition } from './fetch-session.ts'

/** `removed`: retention deleted the records before `from`. `cut`: from `from` on the log differs from what was read. */
export type Lost = { readonly why: 'removed' | 'cut'; readonly from: bigint }

export type Sink = {
  /**
   * In order; everything before `next` is read, including what readers don't see, such as transaction markers. `end`:
   * the log end for this isolation. If it throws, the same records come again after a while.
   */
  onRecords(records: readonly SourceRecord[], next: bigint, end: bigint): void
  /** Nothing more comes until `seek`. */
  onLost(lost: Lost): void
  /** The topic was deleted or replaced by another of its name, as all brokers say: nothing more will come. */
  onGone(): void
}

export type FollowTarget = {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly isolation: Isolation
}

export type Leader = { readonly topicId: string; readonly broker: number; readonly epoch: number }

/** `joining`: at the log's end, waiting for a session's next request. */
export type Home = 'none' | 'pool' | 'joining' | 'hot' | 'cold'

export type Reader = {
  readonly topic: string
  readonly partition: number
  readonly isolation: Isolation
  readonly sink: Sink
  at: bigint
  /** The leader epoch of the last record read. */
  lastEpoch: number
  leader: Leader | undefined
  /** The id of the topic at the start. */
  topicId: string | undefined
  home: Home
  /** Answers to requests of an earlier life are ignored. */
  life: number
  failures: number
  troubledMs: number
  notBeforeMs: number
  /** When records last arrived. */
  recordsMs: number
  state: 'reading' | 'paused' | 'lost' | 'closed'
}

const PARTITION_BYTES_MAX = 262_144

export function newReader({ from, ...target }: FollowTarget, sink: Sink): Reader {
  return {
    ...target,
    sink,
    at: from,
    lastEpoch: -1,
    leader: undefined,
    topicId: undefined,
    home: 'none',
    life: 0,
    failures: 0,
    troubledMs: -Infinity,
    notBeforeMs: 0,
    recordsMs: -Infinity,
    state: 'reading',
  }
}

/** What to request for it from its leader. */
export function askedOf({ leader, partition, at, lastEpoch }: Reader): SessionPartition {
  return {
    topicId: leader?.topicId ?? '',
    partition,
    from: at,
    leaderEpoch: leader?.epoch ?? -1,
    lastEpoch,
    bytesMax: PARTITION_BYTES_MAX,
  }
}

export const keyOf = ({ topicId, partition }: { topicId: string; partition: number }): string =>
  `${topicId} ${partition}`

export const endOf = (
  { isolation }: Pick<Reader, 'isolation'>,
  { highWatermark, lastStableOffset }: FetchedPartition,
): bigint => (isolation === 'read_committed' ? lastStableOffset : highWatermark)
