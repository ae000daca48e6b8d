// A consumer that goes where its owner says: at every join it seeks to the owner's positions, so neither a
// stale nor a default offset of a group is ever used. Positions move past transaction markers and aborted
// records too. Each reader has a group of its own, which the broker forgets, as nothing is committed.
import { randomUUID } from 'node:crypto'

import type { Batch } from 'kafkajs'

import { startConsumer } from './start-consumer.ts'
import type { RunningConsumer } from './start-consumer.ts'
import type { Kafka } from '../connect/internals.ts'
import { toSourceRecord } from '../protocol/source-record.ts'
import type { SourceRecord } from '../protocol/source-record.ts'

export type ReaderOptions = {
  readonly groupPrefix: string
  readonly topics: readonly string[]
  positionOf(topic: string, partition: number): bigint
  /** Committed records at or after the position. What it throws ends the reader. */
  onRecords(topic: string, partition: number, records: readonly SourceRecord[]): void
  /** Everything before `next` is read. */
  onPosition(topic: string, partition: number, next: bigint): void
}

const SILENCE_MAX_MS = 10_000
const PARTITION_BYTES_MAX = 5_242_880

export function startReader(kafka: Kafka, options: ReaderOptions): RunningConsumer {
  const { positionOf, onRecords, onPosition } = options

  function isBehind(topic: string, partition: number, offset: bigint | undefined): boolean {
    return offset !== undefined && offset < positionOf(topic, partition)
  }

  function deliver(batch: Batch): boolean {
    const { topic, partition, messages } = batch
    const first = batch.firstOffset()
    if (isBehind(topic, partition, first === null ? undefined : BigInt(first))) return false
    onRecords(
      topic,
      partition,
      messages.map((message) => toSourceRecord(partition, message)),
    )
    onPosition(topic, partition, BigInt(batch.lastOffset()) + 1n)
    return true
  }

  const running: RunningConsumer = startConsumer(kafka, {
    groupId: `${options.groupPrefix}.${randomUUID()}`,
    topics: options.topics,
    partitionsAtOnce: 1,
    partitionBytesMax: PARTITION_BYTES_MAX,
    silenceMaxMs: SILENCE_MAX_MS,
    onJoin(consumer, assignment) {
      for (const [topic, partitions] of Object.entries(assignment)) {
        for (const partition of partitions) {
          const offset = positionOf(topic, partition).toString()
          consumer.seek({ topic, partition, offset })
        }
      }
    },
    onBatch({ batch, resolveOffset }) {
      try {
        if (deliver(batch)) resolveOffset(lastOffsetOf(batch))
        else running.end('moved')
      } catch (error) {
        running.end('failed', error)
      }
      return Promise.resolve()
    },
    onEmptyBatch({ topic, partition, firstOffset, lastOffset }) {
      if (isBehind(topic, partition, firstOffset)) running.end('moved')
      else onPosition(topic, partition, lastOffset + 1n)
    },
  })
  return running
}

function lastOffsetOf(batch: Batch): string {
  return batch.messages.at(-1)?.offset ?? batch.lastOffset()
}
