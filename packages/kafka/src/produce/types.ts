// The options and answers of producers.
import type { Compression } from '../protocol/compress.ts'
import type { ProduceRecord } from '../protocol/record-batch.ts'

export type BatchProducerOptions = {
  /** From `send` on; then the record is rejected and, if it isn't sent yet, never will be. */
  readonly produceTimeoutMs: number
  /** The bytes of records that may be queued or in flight; beyond it `send` rejects immediately. */
  readonly inFlightBytesMax: number
  /**
   * The owner of a topic. A party may use seven eighths of what the others leave of `inFlightBytesMax`, and a partition
   * seven eighths of what the party's other partitions leave of that. By default each topic is a party.
   */
  readonly partyOf?: (topic: string) => string
  /** Of one batch. A larger record is sent alone. Stay under the broker's 1 MB default. */
  readonly batchBytesMax?: number
  readonly compression?: Compression
  /** For metrics: called for each acknowledged batch. */
  readonly onBatch?: (batch: BatchInfo) => void
}

export type Destination = { readonly topic: string; readonly partition: number }

/** Receives a record's outcome; its methods must not throw. */
export type Waiter = {
  /** The record is stored. */
  resolve(): void
  /** With KafkaError of a `ProduceErrorCode`. */
  reject(error: unknown): void
}

export type BatchInfo = { readonly records: number; readonly bytes: number; readonly ms: number }

export type BatchProducer = {
  /** Resolves once stored. Rejects with KafkaError of a `ProduceErrorCode`. */
  send(topic: string, partition: number, record: ProduceRecord): Promise<void>
  /** The same for many records, without a promise for each: `waiter` is called once, possibly before this returns. */
  post(to: Destination, record: ProduceRecord, waiter: Waiter): void
  inFlightBytes(): number
  /**
   * Call when the topic is being deleted: rejects its waiting records, so that none gets into a new topic of the same
   * name.
   */
  forgetTopic(topic: string): void
  /** Takes no more records, and resolves once every record taken has its answer, within the time-out. */
  close(): Promise<void>
}
