// What a derivation is told, and what can be done with it. Types alone; how it works is in exactly-once.ts.
import type { OutRecord } from './out-record.ts'
import type { SourceRecord } from './source-record.ts'

export type DeriveOptions = {
  readonly groupId: string
  readonly inputTopic: string
  /** With the input's number of partitions: partition p is derived into partition p. */
  readonly outputTopic: string
  transactionalIdOf(partition: number): string
  /** After the former owner is shut out: whether this derivation still has a right to the partition. */
  mayTake(partition: number): Promise<boolean>
  /** Where to begin when nothing was ever derived into the partition. */
  startOffset(partition: number): bigint | Promise<bigint>
  /**
   * What becomes of each record, in the same order; undefined: nothing. When it throws, none of these records
   * is derived, and they come again later. Records may come again after a fault of Kafka's too.
   */
  transform(
    records: readonly SourceRecord[],
  ): readonly (OutRecord | undefined)[] | Promise<readonly (OutRecord | undefined)[]>
  /** Asked right before each commit; false aborts the transaction, and its records come again. */
  mayCommit?(): boolean
  /** What `transform` gave, once it is known to be committed; for counting, since a round may be repeated. */
  onCommitted?(derived: readonly (OutRecord | undefined)[]): void
  /** The partition waits, longer each time, and is tried again. */
  onError(error: unknown, partition: number): void
  /** Retention had removed so many offsets before they could be derived. */
  onLost?(count: bigint, partition: number): void
}

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
