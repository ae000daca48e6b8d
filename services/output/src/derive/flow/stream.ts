// A derived stream in one partition of its input: what of it is written and what is pending. Plain data; take.ts gives
// it records, ownership.ts makes this replica its writer.
import type { SourceRecord } from '@weir/kafka'
import type { Span } from '@weir/trace'
import type { Noted } from '../noted-positions.ts'
import type { DerivedPartition, Owned } from '../partition-logs.ts'
import type { Group } from './reading.ts'

/** The outcomes of records, counted once they are stored. */
export type Counts = {
  passed: number
  filtered: number
  /** Fields that stay encrypted because their keys are erased. */
  undecryptable: number
}

export type DeadAt = { readonly offset: bigint; readonly code: string }

/** Called with what happens to the stream. */
export type Told = {
  stored(counts: Counts, dead: readonly DeadAt[]): void
  /** The stream waits and tries again. */
  failed(error: unknown): void
  /** Retention removed this many offsets before they could be derived. */
  lost(count: bigint): void
  /** Undefined when the record is not traced. */
  span(record: SourceRecord): Span | undefined
}

/** Records that were appended to one of its logs together. */
export type Pending = Counts & {
  /** The first input offset of it, and the one after the last. */
  readonly first: bigint
  upTo: bigint
  readonly records: number
  readonly bytes: number
  readonly dead: readonly DeadAt[]
  readonly spans: readonly Span[]
  /** Must be called when the values that were decrypted for it are stored, or can't be any more. */
  readonly over: () => void
}

/**
 * Why it takes no records for a while. `full`: too much is pending; `draining`: what is pending must be stored first;
 * `looking`: control state is read to its end; `pausing`: it tries again later; `acquiring`: this replica must become
 * its writer.
 */
export type Hold = 'full' | 'draining' | 'looking' | 'pausing' | 'acquiring'

export type Pauses = Generator<number, never, void>

export type Stream = {
  readonly of: DerivedPartition
  readonly group: Group
  readonly told: Told
  /** Undefined while it can't be written. */
  owned: Owned | undefined
  ownedMs: number
  /** The epoch under which it was last written. */
  epoch: number
  /** Increased when it is disowned: results of work from an earlier life are ignored. */
  life: number
  hold: Hold | undefined
  /** All input offsets before it were appended, or need not be. */
  next: bigint
  /** All input offsets before it are stored, or need not be. Undefined while that isn't known. */
  stored: bigint | undefined
  /** Where the derived log ends, as far as is known. */
  logEnd: bigint
  pending: Pending[]
  pendingBytes: number
  /** The `over` of records that may or may not be stored, so their decrypted values may still be. */
  unsure: (() => void)[]
  /** Control state was read to its end after the records before this offset were received. */
  lookedTo: bigint
  /** Lost events were counted up to this offset. */
  lostTo: bigint
  /** Records before this offset are sent one by one, to find the one that Kafka refuses. */
  aloneTo: bigint
  /** How many forms of the record at this offset Kafka has refused. */
  refused: { readonly offset: bigint; readonly times: number } | undefined
  /** Between attempts to own it; those in `waits` are between attempts to derive a record that must wait. */
  pauses: Pauses | undefined
  waits: { readonly at: bigint; readonly pauses: Pauses } | undefined
  noted: { readonly next: bigint; readonly atMs: number } | undefined
}

export const newStream = (
  of: DerivedPartition,
  group: Group,
  { told, noted }: { readonly told: Told; readonly noted: Noted | undefined },
): Stream => ({
  of,
  group,
  told,
  owned: undefined,
  ownedMs: 0,
  epoch: noted?.epoch ?? 0,
  life: 0,
  hold: undefined,
  next: noted?.next ?? of.startOffset,
  stored: noted?.next,
  logEnd: noted?.end ?? 0n,
  pending: [],
  pendingBytes: 0,
  unsure: [],
  lookedTo: 0n,
  lostTo: 0n,
  aloneTo: 0n,
  refused: undefined,
  pauses: undefined,
  waits: undefined,
  noted: noted && { next: noted.next, atMs: performance.now() },
})

/** The next owner reads the position again. Pending records may or may not be stored. */
export function disown(stream: Stream): void {
  stream.life += 1
  stream.owned?.close()
  stream.owned = undefined
  stream.unsure.push(...stream.pending.map(({ over }) => over))
  stream.pending = []
  stream.pendingBytes = 0
}

/** Call this when records in doubt can't be stored any more. */
export function settleUnsure(stream: Stream): void {
  for (const over of stream.unsure.splice(0)) over()
}
