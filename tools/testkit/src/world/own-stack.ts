// Starts worlds for one test file, consecutive or concurrent, and a reader of their topics. The worlds have a prefix on
// the test run's broker. Tests that configure Kafka or shift the services' clocks use a separate broker. All worlds use
// the test run's registry.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '@weir/devstack'
import type { StackOptions } from '@weir/devstack'
import type { TestStream } from './account.ts'
import { freshPrefix, setting, startWorld } from './services.ts'
import type { ServiceEnv, World } from './services.ts'
import { createTopicReader } from './topic.ts'
import type { TopicReader } from './topic.ts'

export type OwnNames = {
  /** A folder for files of the test. `close` deletes the folder. */
  readonly folder: string
  /** The variables with the broker's address, and with the prefix if there is one. */
  readonly env: ServiceEnv
  readonly reader: TopicReader
  startWorld: typeof startWorld
  /** Removes the topic's retention, because Kafka would delete events with past times. */
  keepForEver(stream: Pick<TestStream, 'topic'>): Promise<void>
  /** Also stops all running worlds. */
  close(): Promise<void>
}
export type OwnStack = OwnNames & { readonly brokers: string }

/** `name` is part of the folder's name, and of the prefix. */
export async function openOwnNames(name: string): Promise<OwnNames> {
  const KAFKA_BROKERS = setting('KAFKA_BROKERS')
  const env = { KAFKA_BROKERS, KAFKA_PREFIX: freshPrefix(name) }
  return worldsAt(env, await folderFor(name))
}

export async function openOwnStack(
  name: string,
  brokerSettings: StackOptions['brokerSettings'] = {},
  ports: StackOptions['ports'] = 'free',
): Promise<OwnStack> {
  const folder = await folderFor(name)
  const schemaRegistryUrl = setting('SCHEMA_REGISTRY_URL')
  const stack = await startStack({ folder, ports, schemaRegistryUrl, brokerSettings })
  const brokers = stack.kafkaBrokers
  return { ...worldsAt({ KAFKA_BROKERS: brokers }, folder, stack.stop), brokers }
}

const folderFor = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `weir-${name}-`))

function worldsAt(env: ServiceEnv, folder: string, stop = async () => {}): OwnNames {
  const reader = createTopicReader(env)
  const worlds: World[] = []
  return {
    folder,
    env,
    reader,
    async startWorld(more = {}, envOf = {}) {
      const world = await startWorld({ ...env, ...more }, envOf)
      worlds.push(world)
      return world
    },
    keepForEver: ({ topic }) => reader.admin.configs.setTopic(topic, { 'retention.ms': '-1' }),
    async close() {
      await reader.close()
      await Promise.all(worlds.map((world) => world.stop()))
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
