// Reads settings of topics and brokers from Kafka on request. Caches them for a few seconds, because a list of erasures
// needs those of the same few topics thousands of times.
import type { Admin, ConfigEntries } from '@weir/kafka'
import { withTimeout } from '@weir/kit'

export type SettingsReader = {
  /** Returns undefined if the topic does not exist. */
  topic(name: string): Promise<ConfigEntries | undefined>
  broker(): Promise<ConfigEntries>
}

const keptMs = 5_000
const patienceMs = 5_000

export function createSettingsReader({
  topics,
  configs,
}: Pick<Admin, 'topics' | 'configs'>): SettingsReader {
  const ofTopic = keepFor(async (name) => {
    if ((await topics.partitionCount(name)) === undefined) return undefined
    return configs.topic(name)
  })
  const brokers = keepFor(async () => slowestOf([...(await configs.brokers()).values()]))
  return { topic: ofTopic, broker: () => brokers('any') }
}

const checkSetting = 'log.retention.check.interval.ms'

/** Returns the longest check interval of all brokers, because all replicas of a record must be deleted. */
export function slowestOf(brokers: readonly ConfigEntries[]): ConfigEntries {
  const times = brokers.map((broker) => Number(broker[checkSetting]))
  return brokers.length === 0 ? {} : { [checkSetting]: String(Math.max(...times)) }
}

function keepFor<Read>(read: (name: string) => Promise<Read>): (name: string) => Promise<Read> {
  const known = new Map<string, { readonly atMs: number; readonly reading: Promise<Read> }>()
  return (name) => {
    const nowMs = performance.now()
    for (const [other, { atMs }] of known) if (nowMs - atMs > keptMs) known.delete(other)
    const before = known.get(name)
    if (before !== undefined) return before.reading
    const reading = withTimeout(read(name), patienceMs, 'reading settings of Kafka')
    known.set(name, { atMs: nowMs, reading })
    reading.catch(() => known.delete(name))
    return reading
  }
}
