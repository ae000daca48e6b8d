// Reads an existing range of one partition in portions, without a group. It keeps at most one fetch in memory.
import { createBrokerCalls } from '../connect/broker-calls.ts'
import { readStep } from './committed-range.ts'
import type { Range } from './committed-range.ts'
import type { Kafka } from '../connect/internals.ts'
import type { SourceRecord } from '../protocol/source-record.ts'

export type RangeReader = {
  /**
   * Passes the committed records of the range in order, until the callback returns false. Throws KafkaError
   * `kafka.unavailable`.
   */
  read(
    range: Range,
    onRecords: (records: readonly SourceRecord[]) => void | Promise<boolean>,
  ): Promise<void>
  close(): Promise<void>
}

export function createRangeReader(kafka: Kafka): RangeReader {
  const calls = createBrokerCalls(kafka)
  return {
    async read(range, onRecords) {
      for (let { from } = range; from < range.to;) {
        const step = { ...range, from }
        const { records, next } = await calls.run('read a topic', (brokers) =>
          readStep(brokers, step),
        )
        if ((await onRecords(records)) === false) return
        from = next
      }
    },
    close: () => calls.close(),
  }
}
