// What lies in dead letter topics, and deriving it anew: the way in for those who were asked to look after it. How a
// partition is retried is in retry-partition.ts.

import { createBrokerCalls } from '../protocol/broker-calls.ts'
import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { scanWindow } from './dead-scan.ts'
import type { DeadEntry, DeadSpan, DeadWindow } from './dead-scan.ts'
import type { Kafka } from '../connect/internals.ts'
import { retryPending } from './retry-partition.ts'
import type { CountRetried, RetryOptions } from './retry-partition.ts'
import { earliestOffsets, endOffsets } from '../admin/topic-calls.ts'
import { KafkaError } from '../errors.ts'

export type DeadLetterTopics = {
  /** Counts what is pending, and gives the `max` newest of each partition, oldest first. */
  list(what: ListOptions): Promise<{ entries: DeadEntry[]; total: number }>
  /** Each outcome is told once it is certain. Throws KafkaError `kafka.may_not_take`, `held_back`, `unavailable`. */
  retry(options: RetryOptions, count: CountRetried): Promise<void>
  close(): Promise<void>
}

export type ListOptions = {
  readonly inputTopic: string
  readonly deadLetterTopic: string
  readonly max: number
  /** Asked between reads; false ends it with KafkaError `kafka.timeout`. */
  mayGoOn(): boolean
}

type Topics = { readonly inputTopic: string; readonly deadLetterTopic: string }

export function createDeadLetterTopics(kafka: Kafka): DeadLetterTopics {
  const calls = createBrokerCalls(kafka)
  return {
    async list({ inputTopic, deadLetterTopic, max, mayGoOn }) {
      const onStep = () => {
        if (!mayGoOn())
          throw new KafkaError('kafka.timeout', 'reading a dead letter topic took too long')
      }
      const entries: DeadEntry[] = []
      let total = 0
      for (const span of await spansOf(calls, { inputTopic, deadLetterTopic })) {
        let newest: DeadEntry[] = []
        for await (const { pending } of windowsOf(calls, span, onStep)) {
          total += pending.size
          if (max > 0) newest = [...newest, ...pending.values()].slice(-max)
        }
        entries.push(...newest)
      }
      return { entries, total }
    },
    async retry(options, count) {
      for (const span of await spansOf(calls, options)) {
        for await (const { pending } of windowsOf(calls, span)) {
          if (!options.mayGoOn()) return
          await retryPending({ kafka, calls, options, count }, pending, span)
        }
      }
    },
    close: () => calls.close(),
  }
}

async function spansOf(calls: BrokerCalls, topics: Topics): Promise<DeadSpan[]> {
  const { deadLetterTopic, inputTopic } = topics
  const { from, to } = await calls.run('read offsets', async (cluster) => ({
    from: await earliestOffsets(cluster, deadLetterTopic),
    to: await endOffsets(cluster, deadLetterTopic, 'read_committed'),
  }))
  return to.map((end, partition) => {
    return { deadLetterTopic, inputTopic, partition, from: from[partition] ?? 0n, to: end }
  })
}

async function* windowsOf(
  calls: BrokerCalls,
  span: DeadSpan,
  onStep?: () => void,
): AsyncGenerator<DeadWindow> {
  for (let { from } = span; from < span.to;) {
    const window = await scanWindow(calls, { ...span, from }, onStep)
    yield window
    from = window.next
  }
}
