// The state of a reader, which follows a partition: the position, the partition's leader, and the part of the fetcher
// that serves the reader. Plain data that the fetcher changes.
import type { FetchedPartition } from '../protocol/fetch.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import type { Isolation } from '../connect/topic-calls.ts'
import type { SessionPartition } from './fetch-session.ts'

/** `removed`: retention deleted the records before `from`. `cut`: the log was truncated, and differs from `from` on. */
export type Lost = { readonly why: 'removed' | 'cut'; readonly from: bigint }

export type Sink = {
  /**
   * Called in order. Everything before `next` is read, including invisible records such as transaction markers. `end`
   * is the log end for this isolation. If this function throws, the same records are delivered again after a while.
   */
  onRecords(records: readonly SourceRecord[], next: bigint, end: bigint): void
  /** No more records arrive until `seek`. */
  onLost(lost: Lost): void
  /**
   * All brokers say that the topic was deleted, or replaced by another topic of the same name. No more records arrive.
   */
  onGone(): void
}

export type FollowTarget = {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly isolation: Isolation
}

export type Leader = { readonly topicId: string; readonly broker: number; readonly epoch: number }

/** `joining`: the reader is at the log's end, and waits for a session's next request. */
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
  /** The id of the topic at the start of reading. */
  topicId: string | undefined
  home: Home
  /** Incremented at each restart of reading. Responses to earlier requests are ignored. */
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

/** Returns the reader's entry in a request to its leader. */
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
