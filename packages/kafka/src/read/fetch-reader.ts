// One who follows a partition: where it is, who leads the partition, and where it is fetched for it. Plain data, changed by the parts of
// the fetcher.
import type { FetchedPartition } from '../protocol/fetch.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import type { Isolation } from '../connect/topic-calls.ts'
import type { SessionPartition } from './fetch-session.ts'

/** `removed`: by retention, what was to come before `from`. `cut`: from `from` on the log isn't what was read. */
export type Lost = { readonly why: 'removed' | 'cut'; readonly from: bigint }

export type Sink = {
  /**
   * In order; everything before `next` is read, also what no reader is shown, such as transaction markers. `end`: where the log ends
   * for a reader of this isolation. What it throws makes the same records come again, after a while.
   */
  onRecords(records: readonly SourceRecord[], next: bigint, end: bigint): void
  /** Nothing more comes until `seek`. */
  onLost(lost: Lost): void
  /** The topic is gone, or another one has its name, as all brokers say: nothing more will come. */
  onGone(): void
}

export type FollowTarget = {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly isolation: Isolation
}

export type Leader = { readonly topicId: string; readonly broker: number; readonly epoch: number }

/** `joining`: at the log's end, and waiting for a session to be asked again. */
export type Home = 'none' | 'pool' | 'joining' | 'hot' | 'cold'

export type Reader = {
  readonly topic: string
  readonly partition: number
  readonly isolation: Isolation
  readonly sink: Sink
  at: bigint
  /** The leader's epoch of what was read last. */
  lastEpoch: number
  leader: Leader | undefined
  /** That of the topic it began with. */
  topicId: string | undefined
  home: Home
  /** Of what was asked in an earlier life no answer counts. */
  life: number
  failures: number
  troubledMs: number
  notBeforeMs: number
  /** When records came last. */
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

/** What is asked for it of its leader. */
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
