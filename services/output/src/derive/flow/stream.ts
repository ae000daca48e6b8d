// A derived stream in one partition of its input: what of it is written, and what is on its way. Plain data; take.ts gives it
// records, ownership.ts makes this replica its writer.
import type { SourceRecord } from '@weir/kafka'
import type { Span } from '@weir/trace'
import type { Noted } from '../noted-positions.ts'
import type { DerivedPartition, Owned } from '../partition-logs.ts'
import type { Group } from './reading.ts'

/** What became of records, once it is stored. */
export type Counts = {
  passed: number
  filtered: number
  /** Fields that stay encrypted because their keys are erased. */
  undecryptable: number
}

export type DeadAt = { readonly offset: bigint; readonly code: string }

/** What its owner is told. */
export type Told = {
  stored(counts: Counts, dead: readonly DeadAt[]): void
  /** It waits, and tries again. */
  failed(error: unknown): void
  /** Retention had removed so many offsets before they could be derived. */
  lost(count: bigint): void
  /** Undefined when the record is not traced. */
  span(record: SourceRecord): Span | undefined
}

/** What was handed to one of its logs together. */
export type Pending = Counts & {
  /** The input offset of the first of it, and the one after the last. */
  readonly first: bigint
  upTo: bigint
  readonly records: number
  readonly bytes: number
  readonly dead: readonly DeadAt[]
  readonly spans: readonly Span[]
  /** To be called when what was opened for it can't be stored any more, or is. */
  readonly over: () => void
}

/**
 * Why it takes no records for a while: too much is on its way; what is on its way must be stored first; control state is read
 * to its end; it tries again later; another is to be made the writer.
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
  /** Under which it was written last. */
  epoch: number
  /** Of what was begun in an earlier life no end counts. */
  life: number
  hold: Hold | undefined
  /** All before it was handed to its logs, or has no place in them. */
  next: bigint
  /** All before it is stored, or has no place there. Undefined while that isn't known. */
  stored: bigint | undefined
  /** Where the derived log ends, as far as is known. */
  logEnd: bigint
  pending: Pending[]
  pendingBytes: number
  /** Of these nobody knows whether they are stored, so what was opened for them may still be. */
  unsure: (() => void)[]
  /** Control state was read to its end after the records before it had come. */
  lookedTo: bigint
  /** Lost events were counted up to it. */
  lostTo: bigint
  /** Records before it are handed over one by one, to find the one that Kafka refuses. */
  aloneTo: bigint
  /** Of the record at the offset Kafka has refused so many forms. */
  refused: { readonly offset: bigint; readonly times: number } | undefined
  /** Between attempts to own it, and between looks for what a record waits for. */
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

/** Whoever owns it after this reads its position anew. What is on its way may be stored or not. */
export function disown(stream: Stream): void {
  stream.life += 1
  stream.owned?.close()
  stream.owned = undefined
  stream.unsure.push(...stream.pending.map(({ over }) => over))
  stream.pending = []
  stream.pendingBytes = 0
}

/** What was in doubt can't be stored any more. */
export function settleUnsure(stream: Stream): void {
  for (const over of stream.unsure.splice(0)) over()
}
