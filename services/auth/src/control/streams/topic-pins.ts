// The settings of Weir's topics. They are explicit, because brokers' defaults differ. A topic is created with these
// settings, and `pinTopics` sets those that a topic lacks.
import type { StreamRecord } from '@weir/control-state'
import type { Configs, TopicSettings } from '@weir/kafka'

export type Pins = Readonly<Record<string, string>>

export type TopicPins = {
  /** Set unless somebody has set another value, which is only reported. */
  readonly usual: Pins
  /** Set even if somebody has changed the value: the retention, so that it equals what Weir reports. */
  readonly always: Pins
}

/** A value that somebody has set on a topic, and that differs from Weir's value. */
export type SetOtherwise = {
  readonly topic: string
  readonly setting: string
  readonly value: string
  readonly wanted: string
}

const everyTopic: Pins = {
  // The broker must not recompress: well-compressed batches need much memory (docs/adr/0030-compressed-records.md).
  'compression.type': 'producer',
  'unclean.leader.election.enable': 'false',
}

const streamPins: Pins = {
  'max.message.bytes': '4194304',
  'cleanup.policy': 'delete',
}

/** The timestamp that ingest sets determines the keys of an input record. */
const inputPins: Pins = { ...streamPins, 'message.timestamp.type': 'CreateTime' }

/**
 * With CreateTime, a broker forgets a partition's writer when the timestamp of its last record is too old. In a
 * backfill, records are days old. The broker would then accept writes of the former owner, and store a repeated batch
 * twice. The event's time is in a header.
 */
const derivedPins: Pins = { ...streamPins, 'message.timestamp.type': 'LogAppendTime' }

/** The settings for all topics of a stream. */
export const pinsOf = (stream: Pick<StreamRecord, 'kind' | 'retentionHours'>): TopicPins => ({
  usual: stream.kind === 'derived' ? derivedPins : inputPins,
  always: retentionPins(stream.retentionHours),
})

const hourMs = 3_600_000
/** Kafka's default. */
const usualSegmentMs = 7 * 24 * hourMs

/**
 * Kafka deletes a record with the last record of its segment. So a segment is closed after 1/24 of the retention, but
 * at the earliest after an hour, and at the latest after the usual time.
 */
function retentionPins(hours: number | undefined): Pins {
  if (hours === undefined) return {}
  const retentionMs = hours * hourMs
  const segmentMs = Math.min(usualSegmentMs, Math.max(hourMs, retentionMs / 24))
  return { 'retention.ms': String(retentionMs), 'segment.ms': String(segmentMs) }
}

/** Returns a topic's own settings after a change of its stream's retention. */
export function withRetention(own: Pins, { always }: TopicPins): Pins {
  const { 'retention.ms': _, 'segment.ms': __, ...others } = own
  return { ...others, ...always }
}

/** With fewer than three replicas, one replica must be enough for writing. */
const replicasForInSyncMin = 3
const inSyncMin: Pins = { 'min.insync.replicas': '2' }

/** Includes `min.insync.replicas`, if the topic has at least three replicas. */
export const allPins = ({ usual, always }: TopicPins, replication: number | undefined): Pins => ({
  ...everyTopic,
  ...usual,
  ...always,
  ...(replication !== undefined && replication >= replicasForInSyncMin ? inSyncMin : {}),
})

/**
 * Sets missing settings, and corrects those in `always`. Returns all settings, and other values that somebody has set.
 * Skips missing topics.
 */
export async function pinTopics(
  configs: Pick<Configs, 'topics' | 'setTopic'>,
  wanted: ReadonlyMap<string, TopicPins>,
): Promise<{ topics: ReadonlyMap<string, TopicSettings>; otherwise: readonly SetOtherwise[] }> {
  const found = await configs.topics([...wanted.keys()])
  const otherwise: SetOtherwise[] = []
  const changed: string[] = []
  for (const [topic, { replication, config, own }] of found) {
    const missing: Record<string, string> = {}
    const pins = wanted.get(topic) ?? { usual: {}, always: {} }
    for (const [setting, value] of Object.entries(allPins(pins, replication))) {
      const set = own[setting]
      const isOurs = set === undefined || setting in pins.always
      if (isOurs && config[setting] !== value) missing[setting] = value
      else if (!isOurs && set !== value)
        otherwise.push({ topic, setting, value: set, wanted: value })
    }
    if (Object.keys(missing).length === 0) continue
    await configs.setTopic(topic, { ...own, ...missing })
    changed.push(topic)
  }
  const anew = changed.length === 0 ? [] : await configs.topics(changed)
  return { topics: new Map([...found, ...anew]), otherwise }
}
