// The control topics, created at the first start (docs/architecture.md «What we ask of Kafka»,
// docs/forgetting.md «complete»). kafka-promises.ts checks these settings later.
import type { Configs, TopicAdmin } from '@weir/kafka'
import {
  accessesTopic,
  auditTopic,
  controlTopic,
  countsTopic,
  erasuresRetentionMs,
  erasuresTopic,
  keysTopic,
  replicasTopic,
  subjectsPartitions,
  subjectsRetentionMs,
  subjectsTopic,
  usagePartitions,
  usageTopic,
} from '@weir/control-state'
import { allPins } from './streams/topic-pins.ts'
import type { TopicPins } from './streams/topic-pins.ts'
import type { StreamRecord } from '@weir/control-state'

const minuteMs = 60_000
const usualKeyRetentionDays = 365

const controlConfig = {
  'cleanup.policy': 'compact',
  'delete.retention.ms': String(24 * 60 * minuteMs),
  'max.message.bytes': '4194304',
}

/** Segments are closed and compacted within the hour, because an erased key must soon leave the log. */
const keysConfig = {
  ...controlConfig,
  'segment.ms': String(10 * minuteMs),
  'max.compaction.lag.ms': String(60 * minuteMs),
  'min.compaction.lag.ms': '0',
  'min.cleanable.dirty.ratio': '0.01',
  'unclean.leader.election.enable': 'false',
}

/**
 * For records that are rewritten every second. Small segments limit how many old versions a starting replica must read.
 */
const rewrittenConfig = {
  ...controlConfig,
  'segment.ms': String(minuteMs),
  'min.cleanable.dirty.ratio': '0.1',
}

/** The brokers set the timestamps, so that auth can check its own clock against them. */
const replicasConfig = { ...rewrittenConfig, 'message.timestamp.type': 'LogAppendTime' }

/**
 * For records that are rewritten every second for a minute, and then kept. Readers find the records of a period by
 * their timestamps, which the brokers set, and never read the whole topic.
 */
const usageConfig = {
  ...rewrittenConfig,
  'segment.ms': String(60 * minuteMs),
  'message.timestamp.type': 'LogAppendTime',
}

/** Kept forever, because the chain of its entries can't be verified without the first ones. */
const auditConfig = {
  'cleanup.policy': 'delete',
  'retention.ms': '-1',
  'retention.bytes': '-1',
  'unclean.leader.election.enable': 'false',
}

/** The retention fits streams with the default key retention. `keepSubjects` extends it for a longer key retention. */
const subjectsConfig = {
  'cleanup.policy': 'compact,delete',
  'retention.ms': String(subjectsRetentionMs(usualKeyRetentionDays)),
  'unclean.leader.election.enable': 'false',
}

/** An entry is kept as long as a restorable backup may contain the keys that the entry removes. */
const erasuresConfig = {
  ...controlConfig,
  'cleanup.policy': 'compact,delete',
  'retention.ms': String(erasuresRetentionMs(usualKeyRetentionDays)),
  'unclean.leader.election.enable': 'false',
}

/**
 * auth moves the topic's notices into the audit log within seconds. If auth is down for longer than this retention,
 * notices are lost, and the audit log gets an entry about the loss.
 */
const accessesConfig = {
  'cleanup.policy': 'delete',
  'retention.ms': String(30 * 24 * 60 * minuteMs),
  'retention.bytes': '-1',
  'unclean.leader.election.enable': 'false',
}

type Wanted = { readonly partitions: number; readonly config: Readonly<Record<string, string>> }

const controlTopics: Readonly<Record<string, Wanted>> = {
  [controlTopic]: { partitions: 1, config: controlConfig },
  [keysTopic]: { partitions: 1, config: keysConfig },
  [erasuresTopic]: { partitions: 1, config: erasuresConfig },
  [auditTopic]: { partitions: 1, config: auditConfig },
  [accessesTopic]: { partitions: 1, config: accessesConfig },
  [subjectsTopic]: { partitions: subjectsPartitions, config: subjectsConfig },
  [replicasTopic]: { partitions: 1, config: replicasConfig },
  [countsTopic]: { partitions: 1, config: rewrittenConfig },
  [usageTopic]: { partitions: usagePartitions, config: usageConfig },
}

function pinsOfControl(usual: Wanted['config']): TopicPins {
  return { usual, always: {} }
}

export const controlPins: ReadonlyMap<string, TopicPins> = new Map(
  Object.entries(controlTopics).map(([topic, { config }]) => [topic, pinsOfControl(config)]),
)

export async function makeControlTopics(
  topics: Pick<TopicAdmin, 'create' | 'partitionCount'>,
  topicReplication: number | undefined,
): Promise<void> {
  for (const [topic, { partitions, config }] of Object.entries(controlTopics)) {
    await topics.create({
      topic,
      partitions,
      replicationFactor: topicReplication,
      config: allPins(pinsOfControl(config), topicReplication),
    })
    const found = await topics.partitionCount(topic)
    if (found !== partitions)
      throw new Error(`${topic} has ${found} partitions; it must have ${partitions}`)
  }
}

/**
 * Extends the retention of `weir.subjects` and `weir.erasures` if a stream has a longer key retention. Never shortens a
 * retention.
 */
export async function keepSubjects(
  configs: Pick<Configs, 'topics' | 'setTopic'>,
  streams: Iterable<StreamRecord>,
): Promise<void> {
  let days = usualKeyRetentionDays
  for (const stream of streams)
    if (stream.kind === 'input') days = Math.max(days, stream.keyRetentionDays)
  await keepFor(configs, subjectsTopic, subjectsRetentionMs(days))
  await keepFor(configs, erasuresTopic, erasuresRetentionMs(days))
}

async function keepFor(
  configs: Pick<Configs, 'topics' | 'setTopic'>,
  topic: string,
  wantedMs: number,
): Promise<void> {
  const found = (await configs.topics([topic])).get(topic)
  const retentionMs = found?.config['retention.ms']
  if (found === undefined || retentionMs === '-1' || Number(retentionMs) >= wantedMs) return
  await configs.setTopic(topic, { ...found.own, 'retention.ms': String(wantedMs) })
}
