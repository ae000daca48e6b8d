// The settings that topics of Weir get of their own, since brokers' defaults differ: a topic is created with them, and
// `pinTopics` puts it on those that lack it. What somebody has set on a topic otherwise is his decision, and only told; but
// how long a stream's topics keep their records is decided in Weir, so that what Weir says of it is true.
import type { StreamRecord } from '@weir/control-state'
import type { Configs, TopicSettings } from '@weir/kafka'

export type Pins = Readonly<Record<string, string>>

export type TopicPins = {
  /** Set where nobody has set it. */
  readonly usual: Pins
  /** Set again when somebody has changed it. */
  readonly always: Pins
}

/** A setting that somebody has given a topic of its own, and that isn't what is asked for. */
export type SetOtherwise = {
  readonly topic: string
  readonly setting: string
  readonly value: string
  readonly wanted: string
}

const everyTopic: Pins = {
  // The broker unpacks nothing, and a batch never unpacks into more than was sent.
  'compression.type': 'producer',
  'unclean.leader.election.enable': 'false',
}

const streamPins: Pins = {
  'max.message.bytes': '4194304',
  'cleanup.policy': 'delete',
}

/** Keys of input records go by the time that ingest gave them. */
const inputPins: Pins = { ...streamPins, 'message.timestamp.type': 'CreateTime' }

/**
 * With CreateTime a broker forgets who writes a partition by the time of the last record, which is days ago in a backfill: it
 * lets the former owner write again, and stores a batch twice that is repeated. The event's time stands in a header.
 */
const derivedPins: Pins = { ...streamPins, 'message.timestamp.type': 'LogAppendTime' }

/** For all topics of a stream. */
export const pinsOf = (stream: Pick<StreamRecord, 'kind' | 'retentionHours'>): TopicPins => ({
  usual: stream.kind === 'derived' ? derivedPins : inputPins,
  always: retentionPins(stream.retentionHours),
})

const hourMs = 3_600_000
/** Of Kafka. */
const usualSegmentMs = 7 * 24 * hourMs

/** A record goes with the last of its segment, so segments close after a 24th of the retention, or an hour if that is more. */
function retentionPins(hours: number | undefined): Pins {
  if (hours === undefined) return {}
  const retentionMs = hours * hourMs
  const segmentMs = Math.min(usualSegmentMs, Math.max(hourMs, retentionMs / 24))
  return { 'retention.ms': String(retentionMs), 'segment.ms': String(segmentMs) }
}

/** The settings of its own that a topic has from then on, when its stream's retention was changed. */
export function withRetention(own: Pins, { always }: TopicPins): Pins {
  const { 'retention.ms': _, 'segment.ms': __, ...others } = own
  return { ...others, ...always }
}

/** With fewer brokers than three, a write has to be on one alone. */
const replicasForInSyncMin = 3
const inSyncMin: Pins = { 'min.insync.replicas': '2' }

/** With what only a topic on three brokers can be told, when it is known to lie there. */
export const allPins = ({ usual, always }: TopicPins, replication: number | undefined): Pins => ({
  ...everyTopic,
  ...usual,
  ...always,
  ...(replication !== undefined && replication >= replicasForInSyncMin ? inSyncMin : {}),
})

/** What the topics are then, and what was set on them otherwise. Topics that there aren't are left out. */
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
