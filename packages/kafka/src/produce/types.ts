// The options and results of producers.
import type { Compression } from '../protocol/compress.ts'
import type { ProduceRecord } from '../protocol/record-batch.ts'

export type BatchProducerOptions = {
  /** Counted from `send`. After this time the record is rejected, and is no longer sent if it was still waiting. */
  readonly produceTimeoutMs: number
  /** The maximum bytes of records that are queued or in flight. Beyond it `send` rejects immediately. */
  readonly inFlightBytesMax: number
  /**
   * Returns the party to which a topic belongs. A party may use seven eighths of the part of `inFlightBytesMax` that
   * other parties leave free. The same rule divides a party's share among its partitions. By default each topic is a
   * party.
   */
  readonly partyOf?: (topic: string) => string
  /** The size of one batch. A larger record is sent alone. Stay below the broker's default of 1 MB. */
  readonly batchBytesMax?: number
  readonly compression?: Compression
  /** For metrics: called for each acknowledged batch. */
  readonly onBatch?: (batch: BatchInfo) => void
}

export type Destination = { readonly topic: string; readonly partition: number }

/** Receives a record's outcome. Its methods must not throw. */
export type Waiter = {
  /** Called when the record is stored. */
  resolve(): void
  /** The error is a KafkaError with a `ProduceErrorCode`, or a TypeError for an invalid timestamp. */
  reject(error: unknown): void
}

export type BatchInfo = { readonly records: number; readonly bytes: number; readonly ms: number }

export type BatchProducer = {
  /** Resolves once the record is stored. Rejects with the errors of `Waiter`. */
  send(topic: string, partition: number, record: ProduceRecord): Promise<void>
  /** Like `send`, without a promise per record. `waiter` is called once, possibly before this function returns. */
  post(to: Destination, record: ProduceRecord, waiter: Waiter): void
  inFlightBytes(): number
  /**
   * Call when the topic is being deleted. Rejects its waiting records, so that none gets into a new topic of the same
   * name.
   */
  forgetTopic(topic: string): void
  /** Takes no more records. Resolves once every accepted record has its outcome, within the time-out. */
  close(): Promise<void>
}
