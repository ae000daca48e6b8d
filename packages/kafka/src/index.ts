export { createKafka, type Kafka, type KafkaOptions } from './client.ts'
export { frame, frameHead, unframe, type Framed } from './framing.ts'
export { partitionOf } from './partition-of.ts'
export { createAcls, type Acl, type Acls } from './acls.ts'
export { createAdmin, type Admin, type TopicSpec } from './admin.ts'
export { type KafkaErrorCode } from './faults.ts'
export { type Isolation } from './topic-calls.ts'
export type { Settings, TopicSettings } from './topic-settings.ts'
export { followTopics, type Follower, type FollowOptions, type FollowedRecord } from './follower.ts'
export { httpCall, type HttpAnswer } from './http-call.ts'
export { codeIn, hintFor } from './connect-hints.ts'
export { kafkaTrouble } from './troubles.ts'
export { createTransactor } from './transactor.ts'
export type { Transaction, Transactor, TransactorOptions } from './transactor.ts'
export type { GroupOffsets } from './transaction-requests.ts'
export type { AddressedRecord, OutRecord } from './out-record.ts'
export type { Headers, SourceRecord } from './source-record.ts'
export {
  createBatchProducer,
  type BatchInfo,
  type BatchProducer,
  type BatchProducerOptions,
  type ProduceErrorCode,
  type ProduceRecord,
  type Waiter,
} from './batch-producer.ts'
export { createLogScan, type LogScan } from './log-scan.ts'
export { createRangeReader, type RangeReader } from './read-range.ts'
export { kafkaAccess, type KafkaAccess } from './kafka-access.ts'
export { kafkaFields, withKafkaRules } from './kafka-settings.ts'
export { basic, registryAccess } from './registry-access.ts'
export { registryFields, withRegistryRules } from './registry-settings.ts'
export { createRegistry } from './registry.ts'
export type { RegisteredSchema, Registry, RegistryErrorCode, SchemaPlace } from './registry.ts'
export { tailTopic, type Tail, type TailOptions } from './tail.ts'
export { deriveExactlyOnce } from './exactly-once.ts'
export { isDead } from './derivation.ts'
export type { Dead, DeadAt, Derived, DeriveOptions, Deriver } from './derivation.ts'
export { SVC_SOURCE, readSource, writeSource, type Source } from './svc-source.ts'
export { createDeadTopics, type DeadTopics } from './dead-topics.ts'
export type { DeadEntry } from './dead-scan.ts'
export { retryOutcomes } from './retry-partition.ts'
export type { RetryOptions, RetryOutcome } from './retry-partition.ts'
