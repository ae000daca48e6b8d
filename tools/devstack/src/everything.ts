// Runs Kafka, the schema registry and Weir's three services on this machine, for `npm start`. auth and Kafka start
// together: Kafka waits until auth serves the keys that verify analysts' tokens, and auth becomes ready after Kafka.
// The other services start when both are ready.

import { startAllOrNone } from './process/all-or-none.ts'
import { demandUnlocked } from './process/folder-lock.ts'
import { allPorts, brokerAddress, freePort, LOOPBACK } from './ports.ts'
import type { PortNeed } from './ports.ts'
import { registryAddress } from './registry.ts'
import { startService } from './services.ts'
import type { Service, ServiceName } from './services.ts'
import { startStack } from './stack.ts'
import type { Stack, StackOptions } from './stack.ts'

export type ServicePorts = Readonly<Record<ServiceName, { port: number; adminPort: number }>>

export type EverythingOptions = {
  /** The options of Kafka and the registry. The analysts' listener is added automatically. */
  stack: Omit<StackOptions, 'analysts' | 'signal'>
  ports: ServicePorts | 'free'
  /** Variables for all services, in addition to the addresses that services need. */
  env: NodeJS.ProcessEnv
  /** The secrets of each service, as variables. */
  envOf: Readonly<Record<ServiceName, NodeJS.ProcessEnv>>
  logFileOf?(name: ServiceName): string
  /** Called if a service ended without a request to stop. */
  onServiceEnded?(service: Service): void
  /** Aborts the start. No process is left running. */
  signal?: AbortSignal
}

export type Everything = {
  stack: Stack
  auth: Service
  ingest: Service
  output: Service
  /** Stops the services first, so that they can still write to Kafka. */
  stop(): Promise<void>
}

// auth waits for Kafka, which may have to be downloaded first.
const AUTH_READY_WITHIN_MS = 30 * 60_000

/** Throws what `startStack` and `startService` throw. */
export async function startEverything(options: EverythingOptions): Promise<Everything> {
  const { signal } = options
  const settings = await settle(options)
  const parts: Parts = {}
  const service = (name: ServiceName) => async (off: AbortSignal) => {
    const started = await startOne(options, settings, { name, signal: off })
    parts[name] = started
    return started
  }
  const free = Promise.withResolvers<void>()
  const stack = async (off: AbortSignal) => {
    const own = { ...settings.stack, onPortsFree: free.resolve, signal: off }
    const failed = (error: unknown): never => {
      free.reject(error)
      throw error
    }
    return (parts.stack = await startStack(own).catch(failed))
  }
  const auth = async (off: AbortSignal) => {
    await free.promise // the stack checks the ports, and its error names all taken ports
    return service('auth')(off)
  }
  try {
    await startAllOrNone<Stopping>([stack, auth], (part) => part.stop(), signal)
    await startAllOrNone([service('ingest'), service('output')], (part) => part.stop(), signal)
    return whole(parts)
  } catch (error) {
    await stopAll(parts)
    throw error
  }
}

type Stopping = { stop(): Promise<void> }
type Parts = Partial<Omit<Everything, 'stop'>>
type Settings = {
  stack: StackOptions
  ports: ServicePorts
  env: NodeJS.ProcessEnv
  /** Only auth gets this address. */
  registryUrl: string
}

/** Chooses all addresses before the start, because the services need each other's addresses. */
async function settle({ stack, ports, env }: EverythingOptions): Promise<Settings> {
  const { kafkaBrokers, schemaRegistryUrl } = stack
  demandUnlocked(stack.folder)
  const stackPorts = await allPorts(stack.ports ?? {})
  const chosen = ports === 'free' ? await freeServicePorts() : ports
  const authUrl = `http://${LOOPBACK}:${chosen.auth.port}`
  const issuer = env['AUTH_PUBLIC_URL'] ?? authUrl
  return {
    stack: {
      ...stack,
      ports: stackPorts,
      alsoNeeded: ports === 'free' ? [] : portNeedsOf(chosen),
      analysts: { jwksUrl: `${authUrl}/.well-known/jwks.json`, issuer },
    },
    ports: chosen,
    registryUrl: schemaRegistryUrl ?? registryAddress(stackPorts.registry),
    env: {
      ...env,
      KAFKA_BROKERS: kafkaBrokers ?? brokerAddress(stackPorts.kafka),
      AUTH_PUBLIC_URL: issuer,
      CONSOLE_AUTH_URL: authUrl,
      CONSOLE_INGEST_URL: `http://${LOOPBACK}:${chosen.ingest.port}`,
      CONSOLE_ORIGINS: [LOOPBACK, 'localhost']
        .map((name) => `http://${name}:${chosen.output.port}`)
        .join(','),
    },
  }
}

async function startOne(
  { envOf, logFileOf, onServiceEnded }: EverythingOptions,
  { ports, env, registryUrl }: Settings,
  { name, signal }: { name: ServiceName; signal: AbortSignal },
): Promise<Service> {
  const setting = name.toUpperCase()
  const { port, adminPort } = ports[name]
  const own = {
    [`${setting}_PORT`]: `${port}`,
    [`${setting}_ADMIN_PORT`]: `${adminPort}`,
    ...(name === 'auth' ? { SCHEMA_REGISTRY_URL: registryUrl } : {}),
  }
  const service = await startService({
    name,
    env: { ...env, ...envOf[name], ...own },
    logFile: logFileOf?.(name),
    signal,
    ...(name === 'auth' ? { readyWithinMs: AUTH_READY_WITHIN_MS } : {}),
  })
  void service.exited.then(() => onServiceEnded?.(service))
  return service
}

async function freeServicePorts(): Promise<ServicePorts> {
  const pair = async () => ({ port: await freePort(), adminPort: await freePort() })
  return { auth: await pair(), ingest: await pair(), output: await pair() }
}

const portNeedsOf = (ports: ServicePorts): readonly PortNeed[] =>
  Object.entries(ports).flatMap(([name, { port, adminPort }]) => {
    const setting = name.toUpperCase()
    return [
      { port, who: name, instead: `${setting}_PORT to another one` },
      { port: adminPort, who: name, instead: `${setting}_ADMIN_PORT to another one` },
    ]
  })

function whole(parts: Parts): Everything {
  const { stack, auth, ingest, output } = parts
  if (!stack || !auth || !ingest || !output) throw new Error('a part was started and is not there')
  return { stack, auth, ingest, output, stop: () => stopAll(parts) }
}

async function stopAll({ stack, auth, ingest, output }: Parts): Promise<void> {
  await Promise.all([auth?.stop(), ingest?.stop(), output?.stop()])
  await stack?.stop()
}
