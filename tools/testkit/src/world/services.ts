// The services as separate processes on free ports, against the test run's broker and registry: all three, or those
// that a test needs. A replica is one more process of a service, with the same settings.
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
/** The services that receive events, without those that derive them. */
export type InputWorld = WorldOf<'auth' | 'ingest'>

/** The setting of the test run, as `npm test` exports it. */
export function setting(
  name: 'KAFKA_BROKERS' | 'SCHEMA_REGISTRY_URL' | 'KEK_FOLDER' | 'PLATFORM_KEY',
): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set; run the tests with npm test`)
  return value
}

/** The KEKs of one service in this test run; auth's file has all of them. */
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
 * All three services, ready, each with its own KEKs of KEK_FOLDER unless `env` has a KEK_FILE for all. The issuer of
 * tokens is a fixed name, because auth's port isn't known before its start.
 */
export async function startWorld(env: ServiceEnv = {}, envOf: EnvOf = {}): Promise<World> {
  const world = startReplicas(env, envOf)
  const { replica } = world
  const starting = [replica('auth'), replica('ingest'), replica('output')] as const
  const [auth, ingest, output] = await allOrNone(starting, world.stop)
  return { auth, ingest, output, ...world }
}

/** The world without output, for tests that need only the input topic. */
export async function startInputWorld(env: ServiceEnv = {}): Promise<InputWorld> {
  const world = startReplicas(env)
  const starting = [world.replica('auth'), world.replica('ingest')] as const
  const [auth, ingest] = await allOrNone(starting, world.stop)
  return { auth, ingest, ...world }
}

export const freshPrefix = (name = 'world'): string => `${name}-${randomBytes(5).toString('hex')}.`

/** The prefix of a world on the test run's broker, which many worlds share. On its own broker it needs none. */
const ownNames = (env: ServiceEnv): ServiceEnv =>
  env['KAFKA_BROKERS'] === undefined
    ? { KAFKA_PREFIX: process.env['KAFKA_PREFIX'] ?? freshPrefix() }
    : {}

/** An empty world, and functions that start replicas in it. */
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

/** If one fails, the others may have started by then, and are stopped. */
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
