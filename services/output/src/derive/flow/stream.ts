// The state of a derived stream in one partition of its input. take.ts derives the stream's records, and ownership.ts
// makes this replica its writer.
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

/** Reports what happens to the stream. */
export type Told = {
  stored(counts: Counts, dead: readonly DeadAt[]): void
  /** The stream waits because of the error, and tries again later. */
  failed(error: unknown): void
  /** Retention removed this number of offsets before they could be derived. */
  lost(count: bigint): void
  /** Starts a span, or returns undefined if the record is not traced. */
  span(record: SourceRecord): Span | undefined
}

/** Records that were appended together to one of the stream's logs. */
export type Pending = Counts & {
  /** The first input offset of these records. */
  readonly first: bigint
  /** The input offset after the last of these records, and after filtered records that follow. */
  upTo: bigint
  readonly records: number
  readonly bytes: number
  readonly dead: readonly DeadAt[]
  readonly spans: readonly Span[]
  /** Must be called when the records' decrypted values are stored, or can't be stored any more. */
  readonly over: () => void
}

/**
 * Why the stream derives no records for a while. `full`: too much is pending. `draining`: pending records must be
 * stored first. `looking`: control state is being read to its end. `pausing`: the stream tries again later.
 * `acquiring`: this replica must become the stream's writer.
 */
export type Hold = 'full' | 'draining' | 'looking' | 'pausing' | 'acquiring'

export type Pauses = Generator<number, never, void>

export type Stream = {
  readonly of: DerivedPartition
  readonly group: Group
  readonly told: Told
  /** Undefined while the stream can't be written. */
  owned: Owned | undefined
  ownedMs: number
  /** The epoch of the stream's last owner, as far as this replica knows. */
  epoch: number
  /** Increased whenever this replica's ownership ends. Results of work that began before are then ignored. */
  life: number
  hold: Hold | undefined
  /** All records before this input offset are appended, or need not be. */
  next: bigint
  /** All records before this input offset are stored, or need not be. Undefined while unknown. */
  stored: bigint | undefined
  /** The end of the derived log, as far as this replica knows. */
  logEnd: bigint
  pending: Pending[]
  pendingBytes: number
  /** The `over` functions of records with unknown outcome, whose decrypted values may still be stored. */
  unsure: (() => void)[]
  /** After the records before this offset were received, control state was read to its end. */
  lookedTo: bigint
  /** Events that retention removed are counted up to this offset. */
  lostTo: bigint
  /** Records before this offset are sent one by one, to find the one that Kafka refuses. */
  aloneTo: bigint
  /** How often Kafka has refused the record at this offset, each time in another form. */
  refused: { readonly offset: bigint; readonly times: number } | undefined
  /** The pauses between attempts to acquire the stream. */
  pauses: Pauses | undefined
  /** The pauses between attempts to derive the record at this offset, which must wait. */
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

/** Ends this replica's ownership. The next owner reads the position again. Pending records may still be stored. */
export function disown(stream: Stream): void {
  stream.life += 1
  stream.owned?.close()
  stream.owned = undefined
  stream.unsure.push(...stream.pending.map(({ over }) => over))
  stream.pending = []
  stream.pendingBytes = 0
}

/** Call when records with unknown outcome can't be stored any more. */
export function settleUnsure(stream: Stream): void {
  for (const over of stream.unsure.splice(0)) over()
}
