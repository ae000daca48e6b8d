// Topics of a test, deleted by `close`.
import { Admin } from '@platformatic/kafka'

import { uniqueName } from '../support.ts'
import { eventually } from './cluster.ts'

export type Topics = {
  readonly admin: Admin
  make(what: string, options?: TopicOptions): Promise<string>
  makeNamed(topic: string, options?: TopicOptions): Promise<void>
  delete(topic: string): Promise<void>
  close(): Promise<void>
}

export type TopicOptions = {
  readonly partitions?: number
  readonly configs?: Readonly<Record<string, string>>
  /** The brokers with a replica of partition 0. The first is its preferred leader. */
  readonly replicas?: readonly number[]
}

/** The configuration of topics to which partition owners write. */
export const LOG_APPEND_TIME = { 'message.timestamp.type': 'LogAppendTime' }

export function openTopics(brokers: readonly string[]): Topics {
  const admin = new Admin({ clientId: 'topics', bootstrapBrokers: [...brokers], retries: 20 })
  const made = new Set<string>()

  async function makeNamed(topic: string, options: TopicOptions = {}): Promise<void> {
    const { partitions = 1, configs = LOG_APPEND_TIME, replicas } = options
    await admin.createTopics({
      topics: [topic],
      ...(replicas
        ? { assignments: [{ partition: 0, brokers: [...replicas] }] }
        : { partitions, replicas: 1 }),
      configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
    })
    made.add(topic)
    await untilLed(admin, topic, replicas ? 1 : partitions)
  }

  return {
    admin,
    makeNamed,
    async make(what, options) {
      const topic = uniqueName(what)
      await makeNamed(topic, options)
      return topic
    },
    async delete(topic) {
      await admin.deleteTopics({ topics: [topic] })
      made.delete(topic)
    },
    async close() {
      const left = [...made]
      if (left.length > 0)
        await eventually('the end of topics', () => admin.deleteTopics({ topics: left }))
      await admin.close()
    },
  }
}

const LATEST = -1n

/**
 * Waits until the leaders have the partitions' logs. If a marker arrives earlier, the broker may never respond
 * (markers.integration.test.ts). Then the coordinator ends no transaction with a partition on that broker for thirty
 * seconds.
 */
async function untilLed(admin: Admin, topic: string, partitions: number): Promise<void> {
  const asked = Array.from({ length: partitions }, (_, partitionIndex) => ({
    partitionIndex,
    timestamp: LATEST,
  }))
  await eventually(`leaders of ${topic}`, () =>
    admin.listOffsets({ topics: [{ name: topic, partitions: asked }] }),
  )
}
