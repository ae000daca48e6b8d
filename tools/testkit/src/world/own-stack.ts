// A broker of a test file's own beside the test run's registry, and worlds on it: for tests that set Kafka up in a
// way of their own, lay hands on its topics, or let services live in another time.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '@weir/devstack'
import type { StackOptions } from '@weir/devstack'
import { setting, startWorld } from './services.ts'
import type { World } from './services.ts'
import { createTopicReader } from './topic.ts'
import type { TopicReader } from './topic.ts'

export type OwnStack = {
  /** Goes with it; the test may keep files there. */
  readonly folder: string
  readonly brokers: string
  readonly reader: TopicReader
  startWorld: typeof startWorld
  /** Every world that still runs ends first. */
  close(): Promise<void>
}

/** `name` is in the folder's name. */
export async function openOwnStack(
  name: string,
  brokerSettings: StackOptions['brokerSettings'] = {},
): Promise<OwnStack> {
  const folder = await mkdtemp(join(tmpdir(), `weir-${name}-`))
  const schemaRegistryUrl = setting('SCHEMA_REGISTRY_URL')
  const stack = await startStack({ folder, ports: 'free', schemaRegistryUrl, brokerSettings })
  const brokers = stack.kafkaBrokers
  const reader = createTopicReader([brokers])
  const worlds: World[] = []
  return {
    folder,
    brokers,
    reader,
    async startWorld(env = {}, envOf = {}) {
      const world = await startWorld({ KAFKA_BROKERS: brokers, ...env }, envOf)
      worlds.push(world)
      return world
    },
    async close() {
      await reader.close()
      await Promise.all(worlds.map((world) => world.stop()))
      await stack.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
