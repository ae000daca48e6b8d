// A real Kafka broker and schema registry on this machine, without containers. For `npm start`, tests and benchmarks,
// never for production. One folder has all their data. It has one owner at a time.

import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { startAllOrNone } from './process/all-or-none.ts'
import type { AnalystSettings } from './kafka/broker-properties.ts'
import { createBroker } from './kafka/broker.ts'
import { loadKafka, loadRegistry } from './programs/distribution.ts'
import { lockFolder } from './process/folder-lock.ts'
import { findJdk } from './programs/jdk.ts'
import { endLeftovers } from './process/leftovers.ts'
import type { DeadPart, Part, PartContext } from './process/part.ts'
import { allPorts, brokerAddress, demandFree, portNeeds } from './ports.ts'
import type { PortNeed, Ports } from './ports.ts'
import { createRegistryPart } from './registry.ts'
import { DATA_FOLDER } from './repository.ts'
import { makePrivateFolder } from './secrets.ts'

export type StackOptions = {
  /** The folder for all data and logs. Created if missing. */
  folder: string
  /** Ports that aren't given have the documented defaults. */
  ports?: Partial<Ports> | 'free'
  /** Further ports that must be free, so that one error names all ports that are taken. */
  alsoNeeded?: readonly PortNeed[]
  /** Called when all ports are free, before Kafka starts. */
  onPortsFree?: () => void
  /** A running broker to use instead of a new one. */
  kafkaBrokers?: string | undefined
  /** A running registry to use instead of a new one. */
  schemaRegistryUrl?: string | undefined
  /**
   * Gives the stack's broker a listener for clients with Weir's tokens. The broker waits until the address serves the
   * keys that verify tokens.
   */
  analysts?: Pick<AnalystSettings, 'jwksUrl' | 'issuer'> | undefined
  /** Additional settings of the stack's broker, which override the usual ones. */
  brokerSettings?: Readonly<Record<string, string | number>>
  /** The cluster id of the stack's broker; a new one by default. */
  clusterId?: string | undefined
  onProgress?(line: string): void
  /** Called if a part ended without a request to stop. */
  onDied?(part: DeadPart): void
  /** Aborts the start. No process is left running. */
  signal?: AbortSignal
}

/** The functions for tests that break the broker. */
export type OwnBroker = {
  /** Undefined while the broker doesn't run, or if the stack uses an existing broker. */
  brokerPid(): number | undefined
  killBroker(): Promise<void>
  /** Works also after killBroker, with the same data on the same port. */
  restartBroker(): Promise<void>
  pauseBroker(): void
  resumeBroker(): void
}

export type Stack = OwnBroker & {
  kafkaBrokers: string
  /** The address for clients with Weir's tokens. Undefined if the broker has no such listener. */
  analystBrokers: string | undefined
  schemaRegistryUrl: string
  /** Stops the registry, then Kafka, so that both can write pending data. */
  stop(): Promise<void>
  /** Ends both with SIGKILL, at the same moment. */
  kill(): Promise<void>
}

// With the services' 10 s before, a whole stop stays below 20 s.
const STOP_REGISTRY_MS = 3000
const STOP_BROKER_MS = 6000

/**
 * Resolves when Kafka and the registry are ready. Throws AppError with a sentence for people: `already_running`,
 * `port_in_use`, `no_jdk`, `no_maven`, `maven_failed`, `not_started`.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = resolve(options.folder)
  // The folder is private, because Kafka's files contain values that derived streams have decrypted.
  await makePrivateFolder(folder)
  const lock = lockFolder(folder)
  try {
    await endLeftovers(lock)
    const parts = await createParts(options, { folder, lock, onDied: options.onDied })
    const starters = [parts.registry, parts.broker]
      .filter((part) => part !== undefined)
      .map((part) => (signal: AbortSignal) => part.start(signal).then(() => part))
    await startAllOrNone(starters, (part) => part.stop(STOP_BROKER_MS), options.signal)
    return createStack(options, parts, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Starts and stops a broker once if this checkout has no class archive yet. With the archive, later brokers start in
 * two thirds of the time (kafka/class-archive.ts). A broker that is busy or stops in a hurry creates no archive.
 */
export async function warmUp(
  options: Pick<StackOptions, 'folder' | 'onProgress' | 'signal'>,
): Promise<void> {
  const { classArchive } = await loadKafka(await openDistribution(options))
  if (existsSync(classArchive)) return
  options.onProgress?.('Starting Kafka once, so that it starts faster from now on …')
  const broker = await startStack({ ...options, ports: 'free', schemaRegistryUrl: 'none' })
  await broker.stop()
}

type Parts = {
  broker: Part | undefined
  registry: Part | undefined
  analystBrokers?: string | undefined
}

async function createParts(options: StackOptions, context: PartContext): Promise<Parts> {
  const wanted = {
    broker: options.kafkaBrokers === undefined,
    analysts: options.analysts !== undefined,
    registry: options.schemaRegistryUrl === undefined,
  }
  const ports = await allPorts(options.ports ?? {})
  const needs = options.ports === 'free' ? [] : portNeeds(ports, wanted)
  await demandFree([...needs, ...(options.alsoNeeded ?? [])])
  options.onPortsFree?.()
  if (!wanted.broker && !wanted.registry) return { broker: undefined, registry: undefined }
  const source = await openDistribution(options)
  const { env, jdk } = source
  const { java } = jdk
  const analysts = options.analysts && { ...options.analysts, port: ports.analysts }
  const brokerOptions = async () => ({
    java,
    ...(await loadKafka(source)),
    jvmOptions: (env['KAFKA_JVM_PERFORMANCE_OPTS'] ?? '').split(' ').filter(Boolean),
    port: ports.kafka,
    controllerPort: ports.controller,
    analysts,
    clusterId: options.clusterId,
    more: options.brokerSettings,
  })
  const registryOptions = async () => ({
    java,
    program: await loadRegistry(source),
    port: ports.registry,
  })
  const broker = wanted.broker ? await createBroker(await brokerOptions(), context) : undefined
  const registry = wanted.registry
    ? await createRegistryPart(await registryOptions(), context)
    : undefined
  const analystBrokers = broker && analysts && brokerAddress(analysts.port)
  return { broker, registry, analystBrokers }
}

async function openDistribution({
  onProgress,
  signal,
}: Pick<StackOptions, 'onProgress' | 'signal'>) {
  const folder = join(DATA_FOLDER, 'dist')
  await mkdir(folder, { recursive: true })
  const { env } = process
  const jdk = await findJdk({ env })
  return { folder, jdk, env, onProgress: (line: string) => onProgress?.(line), signal }
}

function createStack(options: StackOptions, parts: Parts, release: () => void): Stack {
  const { broker, registry } = parts
  const ours = () => {
    if (broker === undefined) throw new Error('the broker is not one of ours')
    return broker
  }
  const end = async (ending: readonly (() => Promise<unknown> | undefined)[]) => {
    for (const step of ending) await step()
    release()
  }
  return {
    kafkaBrokers: broker?.address ?? options.kafkaBrokers ?? '',
    analystBrokers: parts.analystBrokers,
    schemaRegistryUrl: registry?.address ?? options.schemaRegistryUrl ?? '',
    brokerPid: () => broker?.pid(),
    killBroker: () => ours().kill(),
    async restartBroker() {
      await ours().stop(STOP_BROKER_MS)
      await ours().start()
    },
    pauseBroker: () => ours().signal('SIGSTOP'),
    resumeBroker: () => ours().signal('SIGCONT'),
    stop: () => end([() => registry?.stop(STOP_REGISTRY_MS), () => broker?.stop(STOP_BROKER_MS)]),
    kill: () => end([() => Promise.all([registry?.kill(), broker?.kill()])]),
  }
}
