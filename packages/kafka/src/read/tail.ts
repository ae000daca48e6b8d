// Reads one topic from given offsets on, for as long as it exists: every committed record once, in the order
// of its partition, whatever becomes of consumers and brokers meanwhile. It commits nothing, so it begins
// where it is told and nowhere else.
import { hasCode } from '@weir/kit'

import { createBrokerCalls } from '../protocol/broker-calls.ts'
import type { ConsumerEnd } from './start-consumer.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { supervise } from './supervisor.ts'
import { startReader } from './reader.ts'
import type { ReaderOptions } from './reader.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { earliestOffsets, endOffsets, isGone } from '../admin/topic-calls.ts'

export type TailOptions = {
  readonly topic: string
  /** One for each partition. */
  readonly fromOffsets: readonly bigint[]
  /** Committed records of one partition in order. What it throws makes the same records come again. */
  onRecords(partition: number, records: readonly SourceRecord[]): void
  /** Everything before `next` is read, also what no reader is shown, such as transaction markers. */
  onPosition?(partition: number, next: bigint): void
  /** The topic is gone (or another one has its name): nothing more will come. Not called by `close`. */
  onStopped(reason: 'gone'): void
  readonly groupPrefix?: string
}

export type Tail = {
  close(): Promise<void>
}

export function tailTopic(kafka: Kafka, options: TailOptions): Tail {
  const { topic, fromOffsets, groupPrefix = `weir.tail.${topic}` } = options
  const { log } = internalsOf(kafka)
  const calls = createBrokerCalls(kafka)
  const positions = new Map(fromOffsets.map((offset, partition) => [partition, offset]))
  const positionOf = (partition: number) => positions.get(partition) ?? 0n
  let closed = false

  const lookAtLog = () =>
    calls.run('read offsets', async (cluster) => {
      try {
        const earliest = await earliestOffsets(cluster, topic)
        const end = await endOffsets(cluster, topic, 'read_uncommitted')
        return { earliest, end }
      } catch (error) {
        if (hasCode(error, 'kafka.not_found') && (await isGone(cluster, topic))) return undefined
        throw error
      }
    })

  /** Records that retention has removed can't come any more; what is left begins after them. */
  function passOver(earliest: readonly bigint[]): void {
    for (const [partition, offset] of earliest.entries()) {
      if (positionOf(partition) >= offset) continue
      log.warn({ topic, partition }, 'retention has removed records before they were read')
      positions.set(partition, offset)
    }
  }

  async function prepare(lastEnd: ConsumerEnd | undefined): Promise<boolean> {
    const found = lastEnd === 'moved' ? undefined : await lookAtLog()
    if (closed) return false
    if (!found || found.end.some((end, partition) => positionOf(partition) > end)) {
      void calls.close()
      options.onStopped('gone')
      return false
    }
    passOver(found.earliest)
    return true
  }

  const reader: ReaderOptions = {
    groupPrefix,
    topics: [topic],
    positionOf: (_, partition) => positionOf(partition),
    onRecords(_, partition, records) {
      if (!closed) options.onRecords(partition, records)
    },
    onPosition(_, partition, next) {
      positions.set(partition, next)
      if (!closed) options.onPosition?.(partition, next)
    },
  }
  const start = () => startReader(kafka, reader)
  const supervisor = supervise(kafka, { topics: [topic], prepare, start })
  return {
    async close() {
      closed = true
      await Promise.all([calls.close(), supervisor.close()])
    },
  }
}
