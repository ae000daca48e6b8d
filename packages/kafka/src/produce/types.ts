// What producers are asked, and what they answer.
import type { Compression } from '../protocol/compress.ts'
import type { ProduceRecord } from '../protocol/record-batch.ts'

export type BatchProducerOptions = {
  /** From `send` on; after it a record is rejected and, if it still waits, never sent. */
  readonly produceTimeoutMs: number
  /** What may wait and be under way at the same time, in bytes of records; beyond it `send` rejects immediately. */
  readonly inFlightBytesMax: number
  /**
   * Whose topic it is. A party may have seven eighths of what the others leave of `inFlightBytesMax`, and a partition seven
   * eighths of what the party's other partitions leave of that. Without it each topic is a party.
   */
  readonly partyOf?: (topic: string) => string
  /** Of one batch. A larger record goes alone. Stay under the broker's 1 MB default. */
  readonly batchBytesMax?: number
  readonly compression?: Compression
  /** For metrics: called for each batch that was acknowledged. */
  readonly onBatch?: (batch: BatchInfo) => void
}

export type Destination = { readonly topic: string; readonly partition: number }

/** Whoever waits for a record; what it does throws nothing. */
export type Waiter = {
  /** It is stored. */
  resolve(): void
  /** With KafkaError of a `ProduceErrorCode`. */
  reject(error: unknown): void
}

export type BatchInfo = { readonly records: number; readonly bytes: number; readonly ms: number }

export type BatchProducer = {
  /** Resolves once stored. Rejects with KafkaError of a `ProduceErrorCode`. */
  send(topic: string, partition: number, record: ProduceRecord): Promise<void>
  /** The same for many records, without a promise for each: `waiter` hears once, maybe before this returns. */
  post(to: Destination, record: ProduceRecord, waiter: Waiter): void
  inFlightBytes(): number
  /** The topic is being deleted: what still waits for it is rejected, so that nothing gets into a new one. */
  forgetTopic(topic: string): void
  /** Takes no more, and resolves once everything accepted has its answer: within the time-out. */
  close(): Promise<void>
}
