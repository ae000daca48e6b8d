// A kafkajs consumer from connecting to its first fault, after which it stays dead, for kafkajs itself just stops
// after some errors and loops after others. Whoever needs a consumer for longer starts one after another
// (supervisor.ts). It never commits offsets and never resolves them by itself.
import type { Consumer, EachBatchPayload } from 'kafkajs'

import { closeClient } from '../connect/close-client.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import type { Retries } from '../connect/retries.ts'

/** `moved`: the broker no longer has what lies at a position. */
export type ConsumerEnd = 'closed' | 'failed' | 'moved'

export type EmptyBatch = {
  readonly topic: string
  readonly partition: number
  readonly firstOffset: bigint | undefined
  readonly lastOffset: bigint
}

export type ConsumerOptions = {
  readonly groupId: string
  readonly topics: readonly string[]
  readonly partitionsAtOnce: number
  readonly partitionBytesMax: number
  /** Longer than this without a fetch means that kafkajs has got stuck. */
  readonly silenceMaxMs: number
  readonly rebalanceTimeoutMs?: number
  /** Before the first fetch after each join: the place to seek. */
  onJoin(consumer: Consumer, assignment: Readonly<Record<string, readonly number[]>>): void
  /** Errors of kafkajs's heartbeat may pass through; any other ends this consumer. */
  onBatch(payload: EachBatchPayload, consumer: Consumer): Promise<void>
  /** Nothing but markers, aborted or compacted records: kafkajs goes past them by itself. */
  onEmptyBatch(batch: EmptyBatch): void
}

export type RunningConsumer = {
  /** Resolves, never rejects. */
  readonly ended: Promise<ConsumerEnd>
  end(why: ConsumerEnd, error?: unknown): void
  close(): Promise<void>
}

const SESSION_TIMEOUT_MS = 10_000
const HEARTBEAT_INTERVAL_MS = 3_000
const LONG_POLL_MS = 500
const REQUEST_TIMEOUT_MS = 8_000
const CLOSE_TIMEOUT_MS = 5_000
const FETCH_BYTES_MAX = 10_485_760
const WATCH_EVERY_MS = 1_000

// Few: after them another consumer is started, which is as quick.
const RETRIES: Retries = { retries: 2, initialRetryTimeMs: 50, maxRetryTimeMs: 500 }

export function startConsumer(kafka: Kafka, options: ConsumerOptions): RunningConsumer {
  const { groupId, topics } = options
  const { log, consumer: makeConsumer } = internalsOf(kafka)
  const consumer = makeConsumer({
    groupId,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_INTERVAL_MS,
    ...(options.rebalanceTimeoutMs ? { rebalanceTimeout: options.rebalanceTimeoutMs } : {}),
    maxWaitTimeInMs: LONG_POLL_MS,
    maxBytes: FETCH_BYTES_MAX,
    maxBytesPerPartition: options.partitionBytesMax,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    retries: RETRIES,
  })
  const { promise: ended, resolve } = Promise.withResolvers<ConsumerEnd>()
  let reason: ConsumerEnd | undefined
  let lastSignMs = performance.now()

  function end(why: ConsumerEnd, error?: unknown): void {
    if (reason !== undefined) return
    reason = why
    clearInterval(watch)
    if (why !== 'closed') log.warn({ groupId, topics, why, err: error }, 'a consumer ended')
    void disconnect().then(() => resolve(why))
  }

  async function disconnect(): Promise<void> {
    await starting
    await closeClient(consumer, CLOSE_TIMEOUT_MS)
  }

  function sign(): void {
    lastSignMs = performance.now()
  }

  async function onBatch(payload: EachBatchPayload): Promise<void> {
    if (reason === undefined) await options.onBatch(payload, consumer)
  }

  async function start(): Promise<void> {
    consumer.on('consumer.group_join', ({ payload }) => {
      options.onJoin(consumer, payload.memberAssignment)
    })
    consumer.on('consumer.crash', ({ payload }) => end('failed', payload.error))
    consumer.on('consumer.fetch', sign)
    consumer.on('consumer.start_batch_process', sign)
    consumer.on('consumer.end_batch_process', ({ payload }) => {
      sign()
      if (reason !== undefined || payload.batchSize > 0) return
      options.onEmptyBatch({
        topic: payload.topic,
        partition: payload.partition,
        firstOffset: toOffset(payload.firstOffset),
        lastOffset: BigInt(payload.lastOffset),
      })
    })
    await consumer.connect()
    // `fromBeginning` only matters where there is no offset to go by, or it is out of range: kafkajs's
    // default then passes over records.
    await consumer.subscribe({ topics: [...topics], fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.partitionsAtOnce,
      eachBatch: onBatch,
    })
  }

  const watch = setInterval(() => {
    if (performance.now() - lastSignMs > options.silenceMaxMs) end('failed')
  }, WATCH_EVERY_MS)
  const starting = start().catch((error: unknown) => end('failed', error))
  return {
    ended,
    end,
    async close() {
      end('closed')
      await ended
    },
  }
}

// null where kafkajs's types promise a string: a batch may hold no record at all.
function toOffset(offset: string | null): bigint | undefined {
  return offset === null ? undefined : BigInt(offset)
}
