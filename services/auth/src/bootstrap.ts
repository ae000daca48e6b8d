// The topics that the services meet on, made at the first start (docs/architecture.md «What we ask of Kafka»,
// docs/keys.md «complete»), and a look at what the brokers made of it: what is set otherwise is told in
// the log, since a managed Kafka may refuse a setting and still do.
import type { Admin } from '@weir/kafka'
import type { Log } from '@weir/kit'
import {
  auditTopic,
  controlTopic,
  countsTopic,
  keysTopic,
  replicasTopic,
  subjectsPartitions,
  subjectsRetentionMs,
  subjectsTopic,
  usagePartitions,
  usageTopic,
} from '@weir/streams'
import type { Stewardship, StreamRecord } from '@weir/streams'

const minuteMs = 60_000
const usualKeyRetentionDays = 365

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

/** Their timestamps are the brokers': auth tells by them whether its own clock is right. */
const replicasConfig = { ...rewrittenConfig, 'message.timestamp.type': 'LogAppendTime' }

/**
 * Written again every second for a minute, then kept. Nobody reads all of them: what belongs to a time is found
 * by when it was written, by one clock.
 */
const usageConfig = {
  ...rewrittenConfig,
  'segment.ms': String(60 * minuteMs),
  'message.timestamp.type': 'LogAppendTime',
}

/** For ever: its entries are a chain, and without the first ones it can't be followed. */
const auditConfig = {
  'cleanup.policy': 'delete',
  'retention.ms': '-1',
  'retention.bytes': '-1',
  'unclean.leader.election.enable': 'false',
}

/** Kept as long as the keys of streams that say nothing else; see `keepSubjects` for the others. */
const subjectsConfig = {
  'cleanup.policy': 'compact,delete',
  'retention.ms': String(subjectsRetentionMs(usualKeyRetentionDays)),
  'unclean.leader.election.enable': 'false',
}

type Wanted = { readonly partitions: number; readonly config: Readonly<Record<string, string>> }

const topics: Readonly<Record<string, Wanted>> = {
  [controlTopic]: { partitions: 1, config: controlConfig },
  [keysTopic]: { partitions: 1, config: keysConfig },
  [auditTopic]: { partitions: 1, config: auditConfig },
  [subjectsTopic]: { partitions: subjectsPartitions, config: subjectsConfig },
  [replicasTopic]: { partitions: 1, config: replicasConfig },
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
  for (const [topic, { partitions, config }] of Object.entries(topics)) {
    const wanted = wantedOf(config, topicReplication)
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

const wantedOf = (
  config: Readonly<Record<string, string>>,
  topicReplication: number | undefined,
): Record<string, string> => ({
  ...config,
  ...(topicReplication !== undefined && topicReplication >= replicasForInSyncMin ? inSyncMin : {}),
})

/** Whose keys live longer needs to be found by his data subjects as long. It is never made shorter. */
export async function keepSubjects(
  { admin, topicReplication }: Pick<Stewardship, 'admin' | 'topicReplication'>,
  streams: Iterable<StreamRecord>,
): Promise<void> {
  let days = usualKeyRetentionDays
  for (const stream of streams)
    if (stream.kind === 'input') days = Math.max(days, stream.keyRetentionDays)
  const wanted = subjectsRetentionMs(days)
  const { 'retention.ms': found } = await admin.topicConfig(subjectsTopic)
  if (found === '-1' || Number(found) >= wanted) return
  const config = { ...subjectsConfig, 'retention.ms': String(wanted) }
  await admin.setTopicConfig(subjectsTopic, wantedOf(config, topicReplication))
}

function warnOfOthers(
  log: Log,
  where: object,
  wanted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): void {
  for (const [setting, value] of Object.entries(wanted))
    if (found[setting] !== value && !isLonger(setting, value, found[setting]))
      log.warn(
        { ...where, setting, wanted: value, found: found[setting] ?? null },
        'a setting of Kafka is not what Weir asks for',
      )
}

const isLonger = (setting: string, wanted: string, found: string | undefined): boolean =>
  setting === 'retention.ms' && Number(found) > Number(wanted)
