// The settings that topics of Weir get of their own, since brokers' defaults differ: a topic is created with them, and
// `pinTopics` puts it on those that lack it. What somebody has set on a topic otherwise is his decision, and only told.
import type { StreamRecord } from '@weir/control-state'
import type { Configs, TopicSettings } from '@weir/kafka'

export type Pins = Readonly<Record<string, string>>

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
export const pinsOf = ({ kind }: Pick<StreamRecord, 'kind'>): Pins =>
  kind === 'derived' ? derivedPins : inputPins

/** With fewer brokers than three, a write has to be on one alone. */
const replicasForInSyncMin = 3
const inSyncMin: Pins = { 'min.insync.replicas': '2' }

/** With what only a topic on three brokers can be told, when it is known to lie there. */
export const allPins = (pins: Pins, replication: number | undefined): Pins => ({
  ...everyTopic,
  ...pins,
  ...(replication !== undefined && replication >= replicasForInSyncMin ? inSyncMin : {}),
})

/** What the topics are then, and what was set on them otherwise. Topics that there aren't are left out. */
export async function pinTopics(
  configs: Pick<Configs, 'topics' | 'setTopic'>,
  wanted: ReadonlyMap<string, Pins>,
): Promise<{ topics: ReadonlyMap<string, TopicSettings>; otherwise: readonly SetOtherwise[] }> {
  const found = await configs.topics([...wanted.keys()])
  const otherwise: SetOtherwise[] = []
  const changed: string[] = []
  for (const [topic, { replication, config, own }] of found) {
    const missing: Record<string, string> = {}
    for (const [setting, value] of Object.entries(allPins(wanted.get(topic) ?? {}, replication))) {
      const set = own[setting]
      if (set === undefined && config[setting] !== value) missing[setting] = value
      else if (set !== undefined && set !== value)
        otherwise.push({ topic, setting, value: set, wanted: value })
    }
    if (Object.keys(missing).length === 0) continue
    await configs.setTopic(topic, { ...own, ...missing })
    changed.push(topic)
  }
  const anew = changed.length === 0 ? [] : await configs.topics(changed)
  return { topics: new Map([...found, ...anew]), otherwise }
}
