// Derives one topic from another, each committed input record exactly once, in order, partition by partition
// (docs/architecture.md 3, 4). Kafka's group protocol says which partitions are ours; a partition's own
// transactional id makes sure that nobody else writes it, whatever the group believes. It knows nothing of
// what is derived.
import type { Consumer, EachBatchPayload } from 'kafkajs'

import { delay, hasCode } from '@weir/kit'

import { createBrokerCalls } from '../protocol/broker-calls.ts'
import { startConsumer } from '../read/start-consumer.ts'
import type { DeriveOptions, Deriver } from './derivation.ts'
import { createDerivedPartition } from './derived-partition.ts'
import type { DerivedPartition } from './derived-partition.ts'
import { createPausedPartitions } from '../read/paused-partitions.ts'
import type { Kafka } from '../connect/internals.ts'
import { supervise } from '../read/supervisor.ts'
import type { Supervisor } from '../read/supervisor.ts'
import { createLag } from './lag.ts'

const PARTITIONS_AT_ONCE = 16
const PARTITION_BYTES_MAX = 1_048_576
// A batch may have to wait for a take-over and for a transaction's time-out.
const SILENCE_MAX_MS = 90_000
const REBALANCE_TIMEOUT_MS = 30_000
const HEARTBEAT_EVERY_MS = 1_000
// What a transaction costs Kafka hardly depends on how much is in it. A partition in full flow that has caught up
// therefore begins one at most so often, which leaves Kafka to other streams; one with few records never waits.
const FLOW_EVERY_MS = 20
const FLOW_RECORDS_MIN = 8

export function deriveExactlyOnce(kafka: Kafka, options: DeriveOptions): Deriver {
  const { inputTopic, groupId } = options
  const calls = createBrokerCalls(kafka)
  const pausedPartitions = createPausedPartitions(inputTopic)
  const partitions = new Map<number, DerivedPartition>()
  const working = new Set<Promise<void>>()
  const joined = Promise.withResolvers<void>()
  const lag = createLag({
    calls,
    options,
    pausedPartitions,
    positionOf: (p) => partitions.get(p)?.position(),
  })
  let assigned: readonly number[] = []
  let supervisor: Supervisor | undefined
  let paused = false
  let stopping = false

  function partitionOf(partition: number, consumer: Consumer): DerivedPartition {
    const known = partitions.get(partition)
    if (known) return known
    const seek = (offset: bigint) =>
      consumer.seek({ topic: inputTopic, partition, offset: offset.toString() })
    const mayGoOn = () => !paused && !stopping
    const made = createDerivedPartition({ kafka, calls, options, mayGoOn, seek }, partition)
    partitions.set(partition, made)
    return made
  }

  async function release(): Promise<void> {
    const former = [...partitions.values()]
    partitions.clear()
    await Promise.all(former.map((partition) => partition.expire()))
  }

  function onJoin(consumer: Consumer, assignment: Readonly<Record<string, readonly number[]>>) {
    void release()
    assigned = [...(assignment[inputTopic] ?? [])]
    pausedPartitions.assign(consumer, assigned)
    joined.resolve()
  }

  async function work(payload: EachBatchPayload, consumer: Consumer): Promise<void> {
    const { partition } = payload.batch
    try {
      await partitionOf(partition, consumer).derive(payload)
      pausedPartitions.succeeded(partition)
    } catch (error) {
      if (stopping || paused) return
      if (!hasCode(error, 'kafka.may_not_take', 'kafka.held_back'))
        options.onError(error, partition)
      pausedPartitions.pauseForAWhile(partition)
    }
  }

  async function onBatch(payload: EachBatchPayload, consumer: Consumer): Promise<void> {
    const { partition, highWatermark } = payload.batch
    lag.seen(partition, BigInt(highWatermark))
    // Not resolved, so it comes again.
    if (stopping || pausedPartitions.isPaused(partition)) return
    const startedMs = performance.now()
    const done = work(payload, consumer)
    working.add(done)
    // kafkajs beats between batches only. It sees for itself when a beat is refused, after this batch.
    const beat = () => void payload.heartbeat().catch(() => undefined)
    const beating = setInterval(beat, HEARTBEAT_EVERY_MS)
    await done
    clearInterval(beating)
    working.delete(done)
    if (!stopping && isFlowing(payload)) await delay(startedMs + FLOW_EVERY_MS - performance.now())
  }

  const startInput = () =>
    startConsumer(kafka, {
      groupId,
      topics: [inputTopic],
      partitionsAtOnce: PARTITIONS_AT_ONCE,
      partitionBytesMax: PARTITION_BYTES_MAX,
      silenceMaxMs: SILENCE_MAX_MS,
      rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
      onJoin,
      onBatch,
      onEmptyBatch({ partition, firstOffset, lastOffset }) {
        partitions.get(partition)?.pass(firstOffset, lastOffset)
      },
    })

  async function prepare(): Promise<boolean> {
    assigned = []
    pausedPartitions.clear()
    await release()
    return !stopping
  }

  return {
    async start() {
      supervisor = supervise(kafka, { topics: [inputTopic], prepare, start: startInput })
      lag.start()
      await joined.promise
    },
    async stop() {
      stopping = true
      lag.stop()
      joined.resolve()
      await supervisor?.close()
      pausedPartitions.clear()
      assigned = []
      await release()
      await calls.close()
    },
    pause() {
      paused = true
      pausedPartitions.pauseAll(true)
    },
    resume() {
      paused = false
      pausedPartitions.pauseAll(false)
    },
    async settled() {
      await Promise.all(working)
    },
    assigned: () => assigned,
    lag: () => lag.total(assigned),
  }
}

/** All that was there has been read, and it was so much that more is on its way. */
function isFlowing({ batch }: EachBatchPayload): boolean {
  const isCaughtUp = BigInt(batch.lastOffset()) + 1n >= BigInt(batch.highWatermark)
  return isCaughtUp && batch.messages.length >= FLOW_RECORDS_MIN
}
