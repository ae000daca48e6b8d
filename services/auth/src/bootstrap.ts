// The topics that the services meet on, made at the first start (docs/architecture.md «What we ask of Kafka»,
// docs/keys.md «complete»), and a look at what the brokers made of it: what is set otherwise is told in
// the log, since a managed Kafka may refuse a setting and still do.
import type { Admin } from '@weir/kafka'
import type { Log } from '@weir/kit'
import {
  controlTopic,
  countsTopic,
  keysTopic,
  replicasTopic,
  usagePartitions,
  usageTopic,
} from '@weir/streams'

const minuteMs = 60_000

const controlConfig = {
  'cleanup.policy': 'compact',
  'delete.retention.ms': String(24 * 60 * minuteMs),
  'max.message.bytes': '4194304',
}

/** An erased key must leave the log soon: old segments close, and are compacted, within the hour. */
const keysConfig = {
  ...controlConfig,
  'segment.ms': String(10 * minuteMs),
  'max.compaction.lag.ms': String(60 * minuteMs),
  'min.compaction.lag.ms': '0',
  'min.cleanable.dirty.ratio': '0.01',
  'unclean.leader.election.enable': 'false',
}

/** Records that are written again every second: a start reads through all versions that are left. */
const rewrittenConfig = {
  ...controlConfig,
  'segment.ms': String(minuteMs),
  'min.cleanable.dirty.ratio': '0.1',
}

/**
 * Written again every second for a minute, then kept. Nobody reads all of them: what belongs to a time is found
 * by when it was written, by one clock.
 */
const usageConfig = {
  ...rewrittenConfig,
  'segment.ms': String(60 * minuteMs),
  'message.timestamp.type': 'LogAppendTime',
}

type Wanted = { readonly partitions: number; readonly config: Readonly<Record<string, string>> }

const topics: Readonly<Record<string, Wanted>> = {
  [controlTopic]: { partitions: 1, config: controlConfig },
  [keysTopic]: { partitions: 1, config: keysConfig },
  [replicasTopic]: { partitions: 1, config: rewrittenConfig },
  [countsTopic]: { partitions: 1, config: rewrittenConfig },
  [usageTopic]: { partitions: usagePartitions, config: usageConfig },
}

/** With fewer brokers than three, a write has to be on one alone. */
const inSyncMin = { 'min.insync.replicas': '2' }
const replicasForInSyncMin = 3

const brokerSettings = {
  'auto.create.topics.enable': 'false',
  'group.initial.rebalance.delay.ms': '0',
  'offsets.retention.minutes': '129600',
}

type Bootstrap = { admin: Admin; log: Log; topicReplication: number | undefined }

export async function makeControlTopics({
  admin,
  log,
  topicReplication,
}: Bootstrap): Promise<void> {
  const hasInSyncMin = topicReplication !== undefined && topicReplication >= replicasForInSyncMin
  for (const [topic, { partitions, config }] of Object.entries(topics)) {
    const wanted = { ...config, ...(hasInSyncMin ? inSyncMin : {}) }
    await admin.createTopic({
      topic,
      partitions,
      replicationFactor: topicReplication,
      config: wanted,
    })
    const found = await admin.partitionCount(topic)
    if (found !== partitions)
      throw new Error(`${topic} has ${found} partitions; it must have ${partitions}`)
    warnOfOthers(log, { topic }, wanted, await admin.topicConfig(topic))
  }
  warnOfOthers(log, { broker: true }, brokerSettings, await admin.brokerConfig())
}

function warnOfOthers(
  log: Log,
  where: object,
  wanted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): void {
  for (const [setting, value] of Object.entries(wanted))
    if (found[setting] !== value)
      log.warn(
        { ...where, setting, wanted: value, found: found[setting] ?? null },
        'a setting of Kafka is not what Weir asks for',
      )
}
