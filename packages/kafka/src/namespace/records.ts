// Reading and writing records. Callers use names without the handle's prefix. The content of records doesn't change.
import type { Kafka } from '../connect/internals.ts'
import { createTransactor } from '../fence/transactor.ts'
import type { Transaction, Transactor, TransactorOptions } from '../fence/transactor.ts'
import { createAppender } from '../produce/appender.ts'
import type { Appender } from '../produce/appender.ts'
import { createBatchProducer } from '../produce/batch-producer.ts'
import type { BatchProducer, BatchProducerOptions } from '../produce/types.ts'
import { createFetcher } from '../read/fetcher.ts'
import type { Fetcher } from '../read/fetcher.ts'
import { followTopics } from '../read/follower.ts'
import type { Follower, FollowOptions } from '../read/follower.ts'
import { createLogScan } from '../read/log-scan.ts'
import type { LogScan } from '../read/log-scan.ts'
import { createRangeReader } from '../read/read-range.ts'
import type { RangeReader } from '../read/read-range.ts'
import { tailTopic } from '../read/tail.ts'
import type { Tail, TailOptions } from '../read/tail.ts'
import { namesOf } from './prefix.ts'

export function createNamedFetcher(kafka: Kafka): Fetcher {
  const { inFull } = namesOf(kafka)
  const { follow } = createFetcher(kafka)
  return { follow: (target, sink) => follow(inFull(target), sink) }
}

export function followNamedTopics(kafka: Kafka, options: FollowOptions): Follower {
  const { full, own } = namesOf(kafka)
  const follower = followTopics(kafka, {
    ...options,
    topics: options.topics.map(full),
    onRecord: (record) => options.onRecord({ ...record, topic: own(record.topic) ?? record.topic }),
  })
  return {
    ...follower,
    position: (topic) => follower.position(full(topic)),
    catchUp: (topics = options.topics) => follower.catchUp(topics.map(full)),
  }
}

export function tailNamedTopic(kafka: Kafka, options: TailOptions): Tail {
  return tailTopic(kafka, namesOf(kafka).inFull(options))
}

export function createNamedLogScan(kafka: Kafka): LogScan {
  const { full } = namesOf(kafka)
  const { scan, close } = createLogScan(kafka)
  return { scan: (topic, onRecord) => scan(full(topic), onRecord), close }
}

export function createNamedRangeReader(kafka: Kafka): RangeReader {
  const { inFull } = namesOf(kafka)
  const { read, close } = createRangeReader(kafka)
  return { read: (range, onRecords) => read(inFull(range), onRecords), close }
}

export function createNamedBatchProducer(
  kafka: Kafka,
  options: BatchProducerOptions,
): BatchProducer {
  const names = namesOf(kafka)
  const { partyOf } = options
  const { send, post, forgetTopic, ...rest } = createBatchProducer(kafka, {
    ...options,
    ...(partyOf && { partyOf: (topic: string) => partyOf(names.own(topic) ?? topic) }),
  })
  // Caches full names, because a newly concatenated string would be hashed again for each record.
  const known = new Map<string, string>()
  const full = (topic: string): string => {
    const name = known.get(topic)
    if (name !== undefined) return name
    const made = names.full(topic)
    known.set(topic, made)
    return made
  }
  return {
    ...rest,
    send: (topic, partition, record) => send(full(topic), partition, record),
    post: ({ topic, partition }, record, waiter) =>
      post({ topic: full(topic), partition }, record, waiter),
    forgetTopic(topic) {
      forgetTopic(full(topic))
      known.delete(topic)
    },
  }
}

export function createNamedAppender(kafka: Kafka): Appender {
  const { inFull } = namesOf(kafka)
  const { lane, close } = createAppender(kafka)
  return { lane: (place) => lane(inFull(place)), close }
}

export function createNamedTransactor(kafka: Kafka, options: TransactorOptions): Transactor {
  const { full, inFull } = namesOf(kafka)
  const { logs } = options
  const { fence, transaction, close } = createTransactor(kafka, {
    ...options,
    transactionalId: full(options.transactionalId),
    ...(logs && { logs: { ...logs, partitions: logs.partitions.map(inFull) } }),
  })
  const under = ({ send }: Transaction): Transaction => ({
    send: (records) => send(records.map(inFull)),
  })
  return {
    fence,
    transaction: (work) => transaction((open) => work(under(open))),
    close,
  }
}
