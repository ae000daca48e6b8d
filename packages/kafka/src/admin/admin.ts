// Combines the functions for topics, offsets, groups and settings, so that they share connections.
import { createBrokerCalls } from '../connect/broker-calls.ts'
import type { Kafka } from '../connect/internals.ts'
import { createConfigs } from './configs.ts'
import type { Configs } from './configs.ts'
import { createGroups } from './groups.ts'
import type { Groups } from './groups.ts'
import { createLogOffsets } from './log-offsets.ts'
import type { LogOffsets } from './log-offsets.ts'
import { createTopics } from './topics.ts'
import type { TopicAdmin } from './topics.ts'

export type Admin = {
  readonly topics: TopicAdmin
  readonly offsets: LogOffsets
  readonly groups: Groups
  readonly configs: Configs
  close(): Promise<void>
}

export type AdminOptions = {
  /** The time after which a call throws KafkaError `kafka.unavailable`; 15 s by default. */
  readonly deadlineMs?: number
}

export function createAdmin(kafka: Kafka, { deadlineMs }: AdminOptions = {}): Admin {
  const calls = createBrokerCalls(kafka, deadlineMs)
  return {
    topics: createTopics(kafka, calls),
    offsets: createLogOffsets(calls),
    groups: createGroups(kafka, calls),
    configs: createConfigs(calls),
    close: () => calls.close(),
  }
}
