// What a derivation is told, and what can be done with it. Hardly more than types; how it works is in
// exactly-once.ts.
import type { OutRecord } from '../protocol/out-record.ts'
import type { SourceRecord } from '../protocol/source-record.ts'

/** A record that can't be derived because of itself, and why: it is dead-lettered in the dead letter topic. */
export type Dead = { readonly dead: string }

/** What becomes of a record; undefined: nothing. */
export type Derived = OutRecord | Dead | undefined

export const isDead = (derived: Derived): derived is Dead =>
  derived !== undefined && 'dead' in derived

export type DeriveOptions = {
  readonly groupId: string
  readonly inputTopic: string
  /** With the input's number of partitions: partition p is derived into partition p. */
  readonly outputTopic: string
  /** With as many partitions. */
  readonly deadLetterTopic: string
  transactionalIdOf(partition: number): string
  /** After the former owner is fenced: whether this derivation still has a right to the partition. */
  mayTake(partition: number): Promise<boolean>
  /** Where to begin when nothing was ever derived into the partition. */
  startOffset(partition: number): bigint | Promise<bigint>
  /**
   * What becomes of each record, in the same order. When it throws, none of these records is derived, and
   * they come again later. Records may come again after a fault of Kafka's too.
   */
  transform(records: readonly SourceRecord[]): readonly Derived[] | Promise<readonly Derived[]>
  /**
   * Told before records are transformed; what it gives is called once it is certain that what came of them is
   * committed or never will be.
   */
  readonly onBegin?: () => () => void
  /** Asked right before each commit; false aborts the transaction, and its records come again. */
  mayCommit?(): boolean
  /**
   * What became of records, once it is known to be committed; for counting, since a round may be repeated. A
   * derived record that Kafka doesn't take is among the dead, as `too_large`.
   */
  onCommitted?(derived: readonly Derived[]): void
  /** Those of them that are dead. */
  onDead?(dead: readonly DeadAt[], partition: number): void
  /** The partition waits, longer each time, and is tried again. */
  onError(error: unknown, partition: number): void
  /** Retention had removed so many offsets before they could be derived. */
  onLost?(count: bigint, partition: number): void
}

export type DeadAt = { readonly offset: bigint; readonly code: string }

export type Deriver = {
  /** Resolves once the group is joined for the first time. */
  start(): Promise<void>
  /** Leaves the group, ending or aborting open transactions, within seconds. */
  stop(): Promise<void>
  /** Stays in the group, but derives nothing; a transaction not yet committed is aborted. */
  pause(): void
  resume(): void
  /** Resolves when every transaction that was open at the time of the call has ended. */
  settled(): Promise<void>
  assigned(): readonly number[]
  /** Records of the assigned partitions that are yet to be derived, as far as is known. */
  lag(): number
}
