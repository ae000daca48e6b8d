// The environment that all integration tests share: a broker and a registry on free ports with data in the run's own
// folder, KEK files, a platform key, and the services for tests that need only an account. If KAFKA_BROKERS or
// SCHEMA_REGISTRY_URL is set, that server is used instead.

import { join } from 'node:path'

import { makeKafkaTools, makeKekFiles, makePlatformKey, startStack, warmUp } from '@weir/devstack'
import type { Stack } from '@weir/devstack'

import { shareWorld, startSharedWorld } from '../world/shared.ts'

export type IntegrationWorld = {
  /** Variables for the tests, in addition to those of this process. */
  env: NodeJS.ProcessEnv
  stop(): Promise<void>
}

/** Options for short-lived JVMs: the fast compiler, and a garbage collector without background threads. */
const SHORT_LIVES = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'

export type WorldOptions = {
  folder: string
  /** If false, each test file starts the services that it needs. */
  withServices: boolean
  signal: AbortSignal
}

/** Starts the environment. On failure, prints the error and resolves with undefined. */
export async function openIntegrationWorld(
  options: WorldOptions,
): Promise<IntegrationWorld | undefined> {
  process.env['KAFKA_JVM_PERFORMANCE_OPTS'] ??= SHORT_LIVES
  const onProgress = (line: string) => console.log(line)
  const { signal } = options
  await warmUp({ folder: join(options.folder, 'warm-up'), onProgress, signal }).catch(sayWhy)
  const stack = await startStack({
    folder: join(options.folder, 'stack'),
    ports: 'free',
    kafkaBrokers: process.env['KAFKA_BROKERS'] || undefined,
    schemaRegistryUrl: process.env['SCHEMA_REGISTRY_URL'] || undefined,
    onProgress,
    onDied: ({ name, lastLines }) => console.log(`${name} ended unexpectedly:\n${lastLines}`),
    signal,
  }).catch(sayWhy)
  return (
    stack &&
    worldOn(stack, options).catch((error: unknown) => stack.stop().then(() => sayWhy(error)))
  )
}

async function worldOn(stack: Stack, options: WorldOptions): Promise<IntegrationWorld> {
  await makeKekFiles(options.folder)
  // Downloads the tools here, so that no test waits for them.
  if (options.withServices) await makeKafkaTools(join(options.folder, 'tools'))
  Object.assign(process.env, {
    KAFKA_BROKERS: stack.kafkaBrokers,
    SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
    KEK_FOLDER: options.folder,
    PLATFORM_KEY: makePlatformKey(),
  })
  const world = options.withServices ? await startSharedWorld() : undefined
  return {
    env: world ? shareWorld(world) : {},
    async stop() {
      await world?.stop()
      await stack.stop()
    },
  }
}

function sayWhy(error: unknown): undefined {
  console.log(`The integration tests could not start: ${String(error)}`)
}
