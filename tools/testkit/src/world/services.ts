// Starts a world: all three services, or those that a test needs, as separate processes on free ports. By default a
// world uses the test run's broker and registry. A replica is one more process of a service, with the same settings.
import { randomBytes } from 'node:crypto'

import { kekFilesIn, startService } from '@weir/devstack'
import type { Service, ServiceName } from '@weir/devstack'

export type ServiceEnv = Readonly<Record<string, string>>

type WorldOf<Name extends ServiceName> = Record<Name, Service> & {
  /** The variables of every replica of this world. */
  env: ServiceEnv
  replica(name: ServiceName, env?: ServiceEnv): Promise<Service>
  /** All log lines of all services of this world, from their start. */
  logLines(): readonly string[]
  stop(): Promise<void>
}
export type World = WorldOf<ServiceName>
/** A world without output, the service that derives events. */
export type InputWorld = WorldOf<'auth' | 'ingest'>

/** Returns a setting that `npm test` exports. */
export function setting(
  name: 'KAFKA_BROKERS' | 'SCHEMA_REGISTRY_URL' | 'KEK_FOLDER' | 'PLATFORM_KEY',
): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set; run the tests with npm test`)
  return value
}

/** Returns the file with a service's KEKs in this test run. auth's file has all KEKs. */
export const kekFileOf = (name: ServiceName): string => kekFilesIn(setting('KEK_FOLDER'))[name]

export const kafkaBrokers = (): string[] => setting('KAFKA_BROKERS').split(',')

const anyPort = {
  AUTH_PORT: '0',
  AUTH_ADMIN_PORT: '0',
  INGEST_PORT: '0',
  INGEST_ADMIN_PORT: '0',
  OUTPUT_PORT: '0',
  OUTPUT_ADMIN_PORT: '0',
}

type EnvOf = Partial<Record<ServiceName, ServiceEnv>>

/**
 * Starts all three services, and waits until they are ready. Each has its own KEKs of KEK_FOLDER, unless `env` has a
 * KEK_FILE for all. The issuer of tokens is a fixed name, because auth's port isn't known before its start.
 */
export async function startWorld(env: ServiceEnv = {}, envOf: EnvOf = {}): Promise<World> {
  const world = startReplicas(env, envOf)
  const { replica } = world
  const starting = [replica('auth'), replica('ingest'), replica('output')] as const
  const [auth, ingest, output] = await allOrNone(starting, world.stop)
  return { auth, ingest, output, ...world }
}

/** Starts a world without output, for tests that need only the input topic. */
export async function startInputWorld(env: ServiceEnv = {}): Promise<InputWorld> {
  const world = startReplicas(env)
  const starting = [world.replica('auth'), world.replica('ingest')] as const
  const [auth, ingest] = await allOrNone(starting, world.stop)
  return { auth, ingest, ...world }
}

export const freshPrefix = (name = 'world'): string => `${name}-${randomBytes(5).toString('hex')}.`

/**
 * Returns a prefix for a world on the test run's broker, which many worlds share. A world on its own broker needs no
 * prefix.
 */
const ownNames = (env: ServiceEnv): ServiceEnv =>
  env['KAFKA_BROKERS'] === undefined
    ? { KAFKA_PREFIX: process.env['KAFKA_PREFIX'] ?? freshPrefix() }
    : {}

/** Returns an empty world, with functions that start replicas in it. */
export function startReplicas(env: ServiceEnv, envOf: EnvOf = {}) {
  const services: Service[] = []
  const lines: string[] = []
  const shared: ServiceEnv = {
    ...anyPort,
    AUTH_PUBLIC_URL: 'http://auth.test',
    KAFKA_BROKERS: setting('KAFKA_BROKERS'),
    SCHEMA_REGISTRY_URL: setting('SCHEMA_REGISTRY_URL'),
    PLATFORM_KEY: setting('PLATFORM_KEY'),
    ...ownNames(env),
    ...env,
  }
  const kekFiles = kekFilesIn(env['KEK_FOLDER'] ?? setting('KEK_FOLDER'))
  const replica = async (name: ServiceName, more: ServiceEnv = {}): Promise<Service> => {
    const onLine = (line: string): void => void lines.push(line)
    const service = await startService({
      name,
      env: { KEK_FILE: kekFiles[name], ...shared, ...envOf[name], ...more },
      onLine,
    })
    services.push(service)
    return service
  }
  const stop = async (): Promise<void> => {
    await Promise.all(services.map((service) => service.stop()))
  }
  return { env: shared, replica, logLines: () => lines, stop }
}

/** If one start fails, stops all services that have started. */
async function allOrNone<Started extends readonly Promise<Service>[]>(
  starting: readonly [...Started],
  stop: () => Promise<void>,
) {
  try {
    return await Promise.all(starting)
  } catch (error) {
    await Promise.allSettled(starting)
    await stop()
    throw error
  }
}
