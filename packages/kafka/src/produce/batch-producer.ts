// Sends records to Kafka for callers who may say «stored» only when it is true: `send` resolves after all
// in-sync replicas have the record, and rejects in time with whether it is certain that it isn't stored.
// On purpose neither idempotent nor retrying what may have been stored (docs/architecture.md 5). No fixed
// delay: each partition has one batch out, and what arrives meanwhile makes the next one.
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { createConnections } from './connections.ts'
import { createDelivery } from './delivery.ts'
import { createLeaders } from './leaders.ts'
import { createPace } from './pace.ts'
import type { ProduceRecord } from '../protocol/record-batch.ts'
import { createProduceRequests } from './requests.ts'
import { createScheduler } from './scheduler.ts'
import { createSockets } from './socket.ts'

export type { ProduceRecord } from '../protocol/record-batch.ts'

/** `unavailable`: certainly not stored; `outcome_unknown`: nobody knows. */
export type ProduceErrorCode = 'unavailable' | 'outcome_unknown' | 'record_too_large'

export type BatchProducerOptions = {
  /** From `send` on; after it a record is rejected and, if it still waits, never sent. */
  readonly produceTimeoutMs: number
  /** What may wait and be under way at once, in bytes of records; beyond it `send` rejects at once. */
  readonly inFlightBytesMax: number
  /** Of one batch. A larger record goes alone. Stay under the broker's 1 MB default. */
  readonly batchBytesMax?: number
  /** How many partitions may share a produce request. Each has an outcome of its own. */
  readonly batchesPerRequestMax?: number
  /** For metrics: called for each batch that was acknowledged. */
  readonly onBatch?: (batch: BatchInfo) => void
}

export type Destination = { readonly topic: string; readonly partition: number }

/** Whoever waits for a record; what it does throws nothing. */
export type Waiter = {
  /** It is stored. */
  resolve(): void
  /** With AppError of a `ProduceErrorCode`. */
  reject(error: unknown): void
}

export type BatchInfo = { readonly records: number; readonly bytes: number; readonly ms: number }

export type BatchProducer = {
  /** Resolves once stored. Rejects with AppError of a `ProduceErrorCode`. */
  send(topic: string, partition: number, record: ProduceRecord): Promise<void>
  /** The same for many records, without a promise for each: `waiter` hears once, maybe before this returns. */
  post(to: Destination, record: ProduceRecord, waiter: Waiter): void
  inFlightBytes(): number
  /** The topic is being deleted: what still waits for it is rejected, so that nothing gets into a new one. */
  forgetTopic(topic: string): void
  /** Takes no more, and resolves once everything accepted has its answer: within the time-out. */
  close(): Promise<void>
}

const OPEN_TIMEOUT_MS_MAX = 3_000
const BATCH_BYTES_MAX = 1_000_000
const BATCHES_PER_REQUEST_MAX = 16

export function createBatchProducer(kafka: Kafka, options: BatchProducerOptions): BatchProducer {
  const { log, deletedTopics } = internalsOf(kafka)
  const stepTimeoutMs = Math.min(OPEN_TIMEOUT_MS_MAX, options.produceTimeoutMs)
  const sockets = createSockets(kafka, stepTimeoutMs)
  const leaders = createLeaders(sockets, stepTimeoutMs)
  const connections = createConnections(sockets)
  const pace = createPace()
  const batchesMax = options.batchesPerRequestMax ?? BATCHES_PER_REQUEST_MAX
  const requests = createProduceRequests(batchesMax, pace)
  const deliver = createDelivery({ leaders, connections, requests })
  const limits = { batchBytesMax: BATCH_BYTES_MAX, ...options, pace, giveUp: requests.giveUp }
  const scheduler = createScheduler(deliver, log, limits)

  const forgetTopic = (topic: string) => {
    leaders.forget(topic)
    scheduler.forgetTopic(topic)
  }
  const unsubscribe = deletedTopics.subscribe(forgetTopic)

  async function close(): Promise<void> {
    await scheduler.drain()
    unsubscribe()
    connections.close()
    leaders.close()
  }
  let closing: Promise<void> | undefined
  return {
    send: scheduler.send,
    post: scheduler.post,
    inFlightBytes: scheduler.inFlightBytes,
    forgetTopic,
    close: () => (closing ??= close()),
  }
}
