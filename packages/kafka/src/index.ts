export { createNamedKafka as createKafka } from './namespace/prefix.ts'
export type { Kafka, KafkaOptions } from './connect/client.ts'
export {
  createNamedAppender as createAppender,
  createNamedBatchProducer as createBatchProducer,
  createNamedFetcher as createFetcher,
  createNamedLogScan as createLogScan,
  createNamedRangeReader as createRangeReader,
  createNamedTransactor as createTransactor,
  followNamedTopics as followTopics,
  tailNamedTopic as tailTopic,
} from './namespace/records.ts'
export {
  createNamedFencer as createFencer,
  createNamedLogSearch as createLogSearch,
  createNamedPositions as createPositions,
} from './namespace/owners.ts'
export type { Acquired, Acquiring, Fencer } from './fence/acquire.ts'
export type { LogSearch } from './read/log-search.ts'
export type { GroupPartitions, Position, Positions } from './admin/positions.ts'
export { partitionOf } from './protocol/partition-of.ts'
export {
  createNamedAcls as createAcls,
  createNamedAdmin as createAdmin,
} from './namespace/admin.ts'
export type { Acl, Acls } from './admin/acls.ts'
export type { Admin } from './admin/admin.ts'
export type { Configs } from './admin/configs.ts'
export type { Groups } from './admin/groups.ts'
export type { LogOffsets } from './admin/log-offsets.ts'
export type { TopicAdmin, TopicSpec } from './admin/topics.ts'
export { KafkaError } from './errors.ts'
export type { KafkaErrorCode, ProduceErrorCode } from './errors.ts'
export type { Isolation } from './connect/topic-calls.ts'
export type { ConfigEntries, TopicSettings } from './admin/topic-settings.ts'
export type { Follower, FollowOptions, FollowedRecord } from './read/follower.ts'
export { kafkaTrouble } from './connect/kafka-trouble.ts'
export type { Transaction, Transactor, TransactorOptions } from './fence/transactor.ts'
export type { AddressedRecord, OutRecord } from './protocol/out-record.ts'
export type { Headers, SourceRecord } from './protocol/source-record.ts'
export type { BatchInfo, BatchProducer, BatchProducerOptions, Waiter } from './produce/types.ts'
export { compressions } from './protocol/compress.ts'
export { batchBytesMaxOf, encodeRecord } from './protocol/record-batch.ts'
export type { BatchRecord, EncodedRecord, ProduceRecord } from './protocol/record-batch.ts'
export type { AppendLane, LanePlace } from './produce/append-lane.ts'
export type { Appender } from './produce/appender.ts'
export type { Fetcher, Following } from './read/fetcher.ts'
export type { FollowTarget, Lost, Sink } from './read/fetch-reader.ts'
export type { LogScan } from './read/log-scan.ts'
export type { RangeReader } from './read/read-range.ts'
export { kafkaAccess } from './connect/access/kafka-access.ts'
export type { KafkaAccess } from './connect/access/kafka-access.ts'
export { kafkaFields, withKafkaRules } from './connect/access/kafka-settings.ts'
export type { Tail, TailOptions } from './read/tail.ts'
